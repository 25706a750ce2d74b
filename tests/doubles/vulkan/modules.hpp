// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace vulkan_double {

/// The module without the other entry points, their functions, push constants and local memory.
std::vector<std::uint32_t> only_entry(std::span<const std::uint32_t> words, std::string_view entry);

} // namespace vulkan_double
