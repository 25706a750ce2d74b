// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

// The names that OpenCL C gives to components of vectors, and their C++ equivalents.
namespace ferry::translate {

/// The components that a member name means for a vector. Empty if it is not a swizzle.
std::vector<int> components_of(std::string_view name);
/// lo, hi, even or odd.
bool is_half_name(std::string_view name) noexcept;
/// The member of fy_vec for one component: 5 is "s5".
std::string component_member(int component);
/// The call of fy_vec that returns these components, for assignment or not: "fy_get<0,2>()".
std::string swizzle_call(const std::vector<int>& components, bool assigned);

/// x, y, z or w, which has the same name in a struct and in a vector.
bool is_component(std::string_view name) noexcept;
/// A member of a struct that could also be a swizzle: the type of a decides the meaning of `a.name`.
bool is_ambiguous_member(std::string_view name);
/// C++ functions fy_m_NAME(a) and fy_mr_NAME(a), the latter for assignment: the swizzle of a vector, the
/// member of a struct. One function in each string.
std::vector<std::string> ambiguous_member_functions(std::string_view name);

} // namespace ferry::translate
