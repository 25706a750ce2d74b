// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::driver {

/// Two kernels in the language that CUDA and HIP share, for what the vendors' calls do slowly.
extern const char* const helper_text;

} // namespace ferry::driver
