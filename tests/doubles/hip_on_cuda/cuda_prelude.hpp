// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry_double {

/// What HIP C++ has and CUDA C++ lacks, for NVRTC to read before the user's text.
extern const char* const cuda_prelude;

} // namespace ferry_double
