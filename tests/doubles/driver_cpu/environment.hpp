// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry_double {

/// A variable's number, with k, m or g behind it for 2^10, 2^20, 2^30; `otherwise` if it is not set.
long long number_from(const char* variable, long long otherwise);
std::string text_from(const char* variable, const char* otherwise);

/// FERRY_DOUBLE_RUNTIME_VERSION is HIP 5.0 to 5.2: short fills go too far, and launches are not captured.
bool is_hip_before_5_3();

} // namespace ferry_double
