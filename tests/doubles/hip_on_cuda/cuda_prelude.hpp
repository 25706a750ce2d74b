// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry_double {

/// Features of HIP C++ that CUDA C++ lacks. NVRTC reads this before the user's text.
extern const char* const cuda_prelude;

} // namespace ferry_double
