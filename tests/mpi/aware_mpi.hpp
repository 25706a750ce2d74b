// SPDX-License-Identifier: Apache-2.0
#pragma once

// interop/mpi.hpp with a simulated MPI that reports the value of FERRY_TEST_ROCM_AWARE. The memory of HIP's
// double on the processor works with every MPI. So this tests the path of device addresses without a GPU.

#include <mpi.h>

#if defined(OPEN_MPI) && OPEN_MPI
#include <mpi-ext.h>
#endif

#include <cstdlib>

#ifndef MPIX_ROCM_AWARE_SUPPORT
#define MPIX_ROCM_AWARE_SUPPORT 0
inline int MPIX_Query_rocm_support() {
    return 0;
}
#endif

inline int says_rocm_aware() {
    return std::getenv("FERRY_TEST_ROCM_AWARE") != nullptr ? 1 : MPIX_Query_rocm_support();
}
#define MPIX_Query_rocm_support says_rocm_aware

#include <ferry/interop/mpi.hpp>
