// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The types of Vulkan that Ferry uses, so that no Vulkan header is needed. They have Vulkan's names without
// "Vk".
namespace ferry::vulkan {

using Result = std::int32_t;
using ExternalHandleType = std::int32_t;
using PipelineBindPoint = std::int32_t;
using PipelineStage = std::int32_t;
using VoidFunction = void (*)();
struct AllocationCallbacks;
struct ImageMemoryBarrier;

#define FERRY_VULKAN_HANDLE(name) using name = struct name##Object*;
#define FERRY_VULKAN_BEGIN(name) struct name {
#define FERRY_VULKAN_BEGIN_CHAINED(name, number, token) \
    struct name {                                       \
        std::int32_t type = number;                     \
        const void* next = nullptr;
#define FERRY_VULKAN_MEMBER(type, ours, theirs) type ours{};
#define FERRY_VULKAN_LIST(type, count, ours, theirs) type ours[count]{};
#define FERRY_VULKAN_END(name) \
    }                          \
    ;
#include "structs.def"

/// VK_... without the prefix of its enumeration.
namespace constant {
#define FERRY_VULKAN_CONSTANT(name, number, token) constexpr std::int32_t name = number;
#include "structs.def"
constexpr std::uint64_t whole_size = ~std::uint64_t{0};
} // namespace constant

constexpr std::uint32_t version_1_2 = 1U << 22U | 2U << 12U;

} // namespace ferry::vulkan
