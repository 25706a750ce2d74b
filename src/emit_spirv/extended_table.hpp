// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Numbers of the extended instructions of "OpenCL.std".
namespace ferry::emit_spirv {

/// The instruction of a built-in function, chosen by the type of its first argument. No value if there is
/// none.
std::optional<std::uint32_t> extended_number(std::string_view name, bool floats, bool is_signed);

inline constexpr std::uint32_t extended_vload_half = 173;
inline constexpr std::uint32_t extended_vload_halfn = 174;
inline constexpr std::uint32_t extended_vstore_half = 175;
inline constexpr std::uint32_t extended_vstore_half_r = 176;
inline constexpr std::uint32_t extended_vstore_halfn = 177;
inline constexpr std::uint32_t extended_vstore_halfn_r = 178;
inline constexpr std::uint32_t extended_vloada_halfn = 179;
inline constexpr std::uint32_t extended_vstorea_halfn = 180;
inline constexpr std::uint32_t extended_vstorea_halfn_r = 181;
inline constexpr std::uint32_t extended_shuffle = 182;
inline constexpr std::uint32_t extended_shuffle2 = 183;
inline constexpr std::uint32_t extended_printf = 184;

} // namespace ferry::emit_spirv
