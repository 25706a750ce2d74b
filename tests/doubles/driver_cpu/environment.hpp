// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry_double {

/// The number in a variable. The suffixes k, m and g mean 2^10, 2^20 and 2^30. `otherwise` if the variable is
/// not set.
long long number_from(const char* variable, long long otherwise);
std::string text_from(const char* variable, const char* otherwise);

/// Whether FERRY_DOUBLE_RUNTIME_VERSION is HIP 5.0 to 5.2. Short fills then write too far, and launches are
/// not captured.
bool is_hip_before_5_3();

} // namespace ferry_double
