// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

// How a Vulkan module takes its launch. The emitter writes modules of this form, and the Vulkan backend reads
// them. Modules of the user may have it too.
//
// The push constants are one block. Its members are the kernel's parameters without those in local memory, in
// their order, each at the alignment of its type in OpenCL C. A pointer is a 64-bit address. The last member,
// which may be missing, is the launch. If the block would be larger than `push_constant_bytes`, the push
// constants are a pointer to a struct of the parameters, followed by the launch.
namespace ferry::emit_spirv::vulkan {

/// Bytes of push constants that every Vulkan device accepts.
inline constexpr std::uint32_t push_constant_bytes = 128;

/// SpecId of the work-group size: x, y and z follow each other. Default: 1, or reqd_work_group_size.
inline constexpr std::uint32_t group_size_spec_id = 0;

/// SpecId of the bytes of local memory for parameter 0. That for parameter i, counted from 0 among all
/// parameters, is `local_bytes_spec_id` + i. Default: one element.
inline constexpr std::uint32_t local_bytes_spec_id = 16;

/// OpName of the struct that receives a Launch.
inline constexpr std::string_view launch_name = "ferry_launch";
/// OpName of that struct in a kernel that prints (print_texts.hpp). It has the member `print_buffer` too.
inline constexpr std::string_view printing_launch_name = "ferry_printing_launch";
/// OpName of the struct of the parameters, if they are not in the push constants.
inline constexpr std::string_view arguments_name = "ferry_arguments";

/// The launch. It is at a multiple of 8 bytes. In SPIR-V each number is a member of its own.
struct Launch {
    std::array<std::uint32_t, 3> group_base{}; ///< Is added to the built-in WorkgroupId.
    std::uint32_t dimensions = 1;              ///< get_work_dim()
    std::array<std::uint32_t, 3> groups{};     ///< get_num_groups()
    std::uint32_t reserved = 0;
    std::array<std::uint64_t, 3> offset{}; ///< get_global_offset()
    std::uint64_t print_buffer = 0;        ///< Its address.
};
/// Bytes of the two structs.
inline constexpr std::uint32_t launch_bytes = offsetof(Launch, print_buffer);
inline constexpr std::uint32_t printing_launch_bytes = sizeof(Launch);
static_assert(launch_bytes == 56 && printing_launch_bytes == 64 && offsetof(Launch, offset) == 32);

/// The members of the struct, in its order.
inline constexpr std::uint32_t launch_group_base = 0;
inline constexpr std::uint32_t launch_dimensions = 3;
inline constexpr std::uint32_t launch_groups = 4;
inline constexpr std::uint32_t launch_reserved = 7;
inline constexpr std::uint32_t launch_offset = 8;
inline constexpr std::uint32_t launch_print_buffer = 11;

} // namespace ferry::emit_spirv::vulkan
