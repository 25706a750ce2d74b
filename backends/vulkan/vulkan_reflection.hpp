// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// How the kernels of a SPIR-V module take their launch, read from its words. The convention is in
// emit_spirv/vulkan_interface.hpp. The words may come from anybody, so nothing in them is trusted.
namespace ferry::vulkan {

/// A parameter that is a member of the push constants or of the block of arguments.
struct MemberLayout {
    std::string name;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    bool pointer = false;   ///< A pointer type.
    bool may_point = false; ///< A pointer, or an integer of 64 bits that may be one.
};

struct EntryLayout {
    std::string name;
    std::vector<MemberLayout> members;
    bool has_block = false; ///< The members are in a block, and the push constants begin with its address.
    std::uint32_t block_bytes = 0;              ///< Of that block.
    std::uint32_t push_bytes = 0;               ///< Of the push constants.
    std::optional<std::uint32_t> launch_offset; ///< Of the launch in the push constants.
    bool prints = false;                        ///< The launch has the address of a print buffer.
    std::vector<std::uint32_t> locals; ///< The parameters in local memory, by their index. Ascending.
    std::array<std::uint32_t, 3> fixed_group{}; ///< The group size, if it is no specialisation constant.
    std::uint64_t local_bytes = 0;              ///< Of local variables with a fixed size.
};

class Module;

/// A module that is damaged, or that is not for Vulkan, throws Error (build_failed) with the faulty word.
std::vector<EntryLayout> reflect(const Module& module);
std::vector<EntryLayout> reflect(std::span<const std::uint32_t> words);

/// The version in the header: 15 for 1.5. 0 for other data.
int spirv_version(std::span<const std::uint32_t> words) noexcept;

} // namespace ferry::vulkan
