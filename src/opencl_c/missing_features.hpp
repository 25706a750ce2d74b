// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::opencl_c {

/// The missing feature that a name belongs to ("images"). Empty if the portable language has the name.
std::string_view missing_feature(std::string_view name) noexcept;
/// The alternative to the feature. Empty if there is none.
std::string advice(std::string_view feature);

} // namespace ferry::opencl_c
