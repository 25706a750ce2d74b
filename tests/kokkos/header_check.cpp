// SPDX-License-Identifier: Apache-2.0
#include <ferry/interop/kokkos.hpp>

#if !defined(KOKKOS_ENABLE_CUDA) && (defined(CUDA_VERSION) || defined(CUDART_VERSION))
#error "a Kokkos without CUDA must not bring CUDA's headers in"
#endif
