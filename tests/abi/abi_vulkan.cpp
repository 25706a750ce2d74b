// SPDX-License-Identifier: Apache-2.0
// Compares backends/vulkan/structs.def and symbols.def with the real vulkan.h.
#include "abi_check.hpp"
#include "vulkan/vulkan_types.hpp"

#include <vulkan/vulkan_core.h>

namespace {

// The structures: sizes, and the place and size of each member.
#define FERRY_VULKAN_BEGIN(name)          \
    namespace check_##name {              \
        using Ours = ferry::vulkan::name; \
        using Theirs = Vk##name;
#define FERRY_VULKAN_BEGIN_CHAINED(name, number, token)                    \
    FERRY_VULKAN_BEGIN(name)                                               \
    static_assert((number) == VK_STRUCTURE_TYPE_##token, #name);           \
    static_assert(offsetof(Ours, type) == offsetof(Theirs, sType), #name); \
    static_assert(offsetof(Ours, next) == offsetof(Theirs, pNext), #name);
#define FERRY_VULKAN_MEMBER(type, ours, theirs)                               \
    static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs), #theirs); \
    static_assert(sizeof(Ours::ours) == sizeof(Theirs::theirs), "the size of " #theirs);
#define FERRY_VULKAN_LIST(type, count, ours, theirs) \
    static_assert(offsetof(Ours, ours) == offsetof(Theirs, theirs), #theirs);
#define FERRY_VULKAN_END(name)                                       \
    static_assert(sizeof(Ours) == sizeof(Theirs), "size of " #name); \
    }
#define FERRY_VULKAN_HANDLE(name) static_assert(abi::interchangeable<ferry::vulkan::name, Vk##name>(), #name);
#define FERRY_VULKAN_CONSTANT(name, number, token) static_assert((number) == VK_##token, #token);
#include "vulkan/structs.def"

// The functions, with the header's types under the names of the table.
namespace table {

using Result = VkResult;
using ExternalHandleType = VkExternalMemoryHandleTypeFlagBits;
using PipelineBindPoint = VkPipelineBindPoint;
using PipelineStage = VkPipelineStageFlagBits;
using VoidFunction = PFN_vkVoidFunction;
using AllocationCallbacks = VkAllocationCallbacks;
using ImageMemoryBarrier = VkImageMemoryBarrier;
#define FERRY_VULKAN_BEGIN(name) using name = Vk##name;
#define FERRY_VULKAN_BEGIN_CHAINED(name, number, token) using name = Vk##name;
#define FERRY_VULKAN_HANDLE(name) using name = Vk##name;
#include "vulkan/structs.def"

#define FERRY_VULKAN_GLOBAL(name, result, parameters) \
    static_assert(std::is_same_v<PFN_##name, result(*) parameters>, #name " has another signature");
#define FERRY_VULKAN_INSTANCE FERRY_VULKAN_GLOBAL
#define FERRY_VULKAN_DEVICE FERRY_VULKAN_GLOBAL
#define FERRY_VULKAN_EXTENSION FERRY_VULKAN_GLOBAL
#include "vulkan/symbols.def"

} // namespace table

static_assert(abi::interchangeable<ferry::vulkan::Result, VkResult>());
static_assert(abi::interchangeable<ferry::vulkan::ExternalHandleType, VkExternalMemoryHandleTypeFlagBits>());
static_assert(abi::interchangeable<ferry::vulkan::PipelineStage, VkPipelineStageFlagBits>());
static_assert(ferry::vulkan::version_1_2 == VK_API_VERSION_1_2);
static_assert(ferry::vulkan::constant::whole_size == VK_WHOLE_SIZE);

} // namespace

int main() {
    abi::Counts counts;
#define FERRY_VULKAN_GLOBAL(name, result, parameters) ++counts.rows, ++counts.required;
#define FERRY_VULKAN_INSTANCE FERRY_VULKAN_GLOBAL
#define FERRY_VULKAN_DEVICE FERRY_VULKAN_GLOBAL
#define FERRY_VULKAN_EXTENSION(name, result, parameters) ++counts.rows;
#include "vulkan/symbols.def"
    return counts.report("libvulkan", VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
                         VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE));
}
