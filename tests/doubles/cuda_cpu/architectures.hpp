// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry_double {

/// The architectures of NVRTC 12.4.
inline constexpr int cuda_architectures[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};

} // namespace ferry_double
