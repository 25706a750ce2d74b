// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <array>
#include <stdexcept>

// Vulkan for the raw side: its functions, a device, and queues.
namespace bench {

#define BENCH_INSTANCE_CALLS(call)                  \
    call(vkEnumeratePhysicalDevices);               \
    call(vkGetPhysicalDeviceProperties);            \
    call(vkGetPhysicalDeviceFeatures2);             \
    call(vkGetPhysicalDeviceMemoryProperties);      \
    call(vkGetPhysicalDeviceQueueFamilyProperties); \
    call(vkCreateDevice);                           \
    call(vkGetDeviceProcAddr);                      \
    call(vkDestroyInstance)
#define BENCH_DEVICE_CALLS(call)         \
    call(vkDestroyDevice);               \
    call(vkDeviceWaitIdle);              \
    call(vkGetDeviceQueue);              \
    call(vkQueueSubmit);                 \
    call(vkCreateSemaphore);             \
    call(vkDestroySemaphore);            \
    call(vkWaitSemaphores);              \
    call(vkCreateCommandPool);           \
    call(vkDestroyCommandPool);          \
    call(vkAllocateCommandBuffers);      \
    call(vkBeginCommandBuffer);          \
    call(vkEndCommandBuffer);            \
    call(vkCreateBuffer);                \
    call(vkDestroyBuffer);               \
    call(vkGetBufferMemoryRequirements); \
    call(vkGetBufferDeviceAddress);      \
    call(vkAllocateMemory);              \
    call(vkFreeMemory);                  \
    call(vkBindBufferMemory);            \
    call(vkMapMemory);                   \
    call(vkCreateShaderModule);          \
    call(vkDestroyShaderModule);         \
    call(vkCreatePipelineLayout);        \
    call(vkDestroyPipelineLayout);       \
    call(vkCreateComputePipelines);      \
    call(vkDestroyPipeline);             \
    call(vkCreateQueryPool);             \
    call(vkDestroyQueryPool);            \
    call(vkGetQueryPoolResults);         \
    call(vkCmdPipelineBarrier);          \
    call(vkCmdCopyBuffer);               \
    call(vkCmdFillBuffer);               \
    call(vkCmdBindPipeline);             \
    call(vkCmdPushConstants);            \
    call(vkCmdDispatch);                 \
    call(vkCmdResetQueryPool);           \
    call(vkCmdWriteTimestamp)

struct VulkanCalls {
#define BENCH_MEMBER(name) PFN_##name name = nullptr
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr = nullptr;
    PFN_vkCreateInstance vkCreateInstance = nullptr;
    BENCH_INSTANCE_CALLS(BENCH_MEMBER);
    BENCH_DEVICE_CALLS(BENCH_MEMBER);
#undef BENCH_MEMBER
};

inline void check_vulkan(VkResult result, const char* call) {
    if (result < 0) [[unlikely]] {
        throw std::runtime_error(std::string("The raw side's ") + call + " returned " +
                                 std::to_string(result) + ".");
    }
}

template <class Info>
Info info_of(VkStructureType type) {
    Info info{};
    info.sType = type;
    return info;
}

/// A queue with a timeline semaphore and a ring of command buffers. Commands are recorded one after the
/// other, with a barrier between two of them, and submitted together.
class Commands {
public:
    Commands(const VulkanCalls& vk, VkDevice device, VkQueue queue, std::uint32_t family)
        : vk_(vk), device_(device), queue_(queue) {
        auto type = info_of<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
        type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
        auto info = info_of<VkSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO);
        info.pNext = &type;
        check_vulkan(vk_.vkCreateSemaphore(device, &info, nullptr, &semaphore_), "vkCreateSemaphore");
        auto pool = info_of<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
        pool.queueFamilyIndex = family;
        check_vulkan(vk_.vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool");
        auto buffers = info_of<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
        buffers.commandPool = pool_;
        buffers.commandBufferCount = static_cast<std::uint32_t>(ring_.size());
        check_vulkan(vk_.vkAllocateCommandBuffers(device, &buffers, ring_.data()),
                     "vkAllocateCommandBuffers");
    }
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;
    ~Commands() {
        vk_.vkDestroyCommandPool(device_, pool_, nullptr);
        vk_.vkDestroySemaphore(device_, semaphore_, nullptr);
    }

    /// The command buffer for the next command.
    VkCommandBuffer next() {
        if (count_ == most_commands) {
            submit();
        }
        VkCommandBuffer buffer = ring_[at_];
        if (!open_) {
            wait(values_[at_]);
            auto info = info_of<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
            info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
            check_vulkan(vk_.vkBeginCommandBuffer(buffer, &info), "vkBeginCommandBuffer");
            open_ = true;
        }
        barrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
        ++count_;
        return buffer;
    }
    void submit() {
        if (open_) {
            submit_after(nullptr);
        }
    }
    /// Submits what is recorded, and a signal. `after`: what that queue has submitted comes first.
    void submit_after(const Commands* after) {
        if (open_) {
            barrier(ring_[at_], VK_PIPELINE_STAGE_HOST_BIT,
                    VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
            check_vulkan(vk_.vkEndCommandBuffer(ring_[at_]), "vkEndCommandBuffer");
        }
        const std::uint64_t value = ++submitted_;
        auto values =
            info_of<VkTimelineSemaphoreSubmitInfo>(VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
        values.signalSemaphoreValueCount = 1;
        values.pSignalSemaphoreValues = &value;
        auto info = info_of<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
        info.pNext = &values;
        info.commandBufferCount = open_ ? 1 : 0;
        info.pCommandBuffers = &ring_[at_];
        info.signalSemaphoreCount = 1;
        info.pSignalSemaphores = &semaphore_;
        constexpr VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
        if (after != nullptr) {
            values.waitSemaphoreValueCount = 1;
            values.pWaitSemaphoreValues = &after->submitted_;
            info.waitSemaphoreCount = 1;
            info.pWaitSemaphores = &after->semaphore_;
            info.pWaitDstStageMask = &stage;
        }
        check_vulkan(vk_.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
        if (open_) {
            values_[at_] = value;
            at_ = (at_ + 1) % ring_.size();
        }
        open_ = false;
        count_ = 0;
    }
    void finish() {
        submit();
        wait(submitted_);
    }

private:
    static constexpr unsigned most_commands = 64;

    void barrier(VkCommandBuffer buffer, VkPipelineStageFlags stage, VkAccessFlags access) const {
        auto memory = info_of<VkMemoryBarrier>(VK_STRUCTURE_TYPE_MEMORY_BARRIER);
        memory.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        memory.dstAccessMask = access;
        vk_.vkCmdPipelineBarrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, stage, 0, 1, &memory, 0, nullptr,
                                 0, nullptr);
    }
    void wait(std::uint64_t value) const {
        auto info = info_of<VkSemaphoreWaitInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO);
        info.semaphoreCount = 1;
        info.pSemaphores = &semaphore_;
        info.pValues = &value;
        check_vulkan(vk_.vkWaitSemaphores(device_, &info, ~std::uint64_t{0}), "vkWaitSemaphores");
    }

    const VulkanCalls& vk_;
    VkDevice device_;
    VkQueue queue_;
    VkSemaphore semaphore_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    std::array<VkCommandBuffer, 8> ring_{};
    std::array<std::uint64_t, 8> values_{};
    std::size_t at_ = 0;
    std::uint64_t submitted_ = 0;
    bool open_ = false;
    unsigned count_ = 0;
};

/// The instance, one device with its queues, and the functions.
struct Opened {
    VulkanCalls vk;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    std::uint32_t family = 0;
    std::uint32_t queue_count = 1;

    explicit Opened(const ferry::Device& wanted) {
        constexpr const char* names[] = {"libvulkan.so.1"};
        void* const library = open_library("FERRY_VULKAN_LIBRARY", names);
        vk.vkGetInstanceProcAddr =
            reinterpret_cast<PFN_vkGetInstanceProcAddr>(find_symbol(library, "vkGetInstanceProcAddr"));
        vk.vkCreateInstance =
            reinterpret_cast<PFN_vkCreateInstance>(vk.vkGetInstanceProcAddr(nullptr, "vkCreateInstance"));
        auto application = info_of<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
        application.apiVersion = VK_API_VERSION_1_2;
        auto info = info_of<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
        info.pApplicationInfo = &application;
        check_vulkan(vk.vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
#define BENCH_RESOLVE(name) vk.name = reinterpret_cast<PFN_##name>(vk.vkGetInstanceProcAddr(instance, #name))
        BENCH_INSTANCE_CALLS(BENCH_RESOLVE);
#undef BENCH_RESOLVE
        find(wanted);
        make_device();
#define BENCH_RESOLVE(name) vk.name = reinterpret_cast<PFN_##name>(vk.vkGetDeviceProcAddr(device, #name))
        BENCH_DEVICE_CALLS(BENCH_RESOLVE);
#undef BENCH_RESOLVE
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
        vk.vkDestroyDevice(device, nullptr);
        vk.vkDestroyInstance(instance, nullptr);
    }

private:
    /// The device of the same name, and the same index among equal names.
    void find(const ferry::Device& wanted) {
        std::size_t skip = 0;
        for (const ferry::Device& other : ferry::devices()) {
            if (other.backend() == wanted.backend() && other.info().index < wanted.info().index) {
                skip += other.info().name == wanted.info().name ? 1 : 0;
            }
        }
        std::array<VkPhysicalDevice, 16> all{};
        auto count = static_cast<std::uint32_t>(all.size());
        check_vulkan(vk.vkEnumeratePhysicalDevices(instance, &count, all.data()),
                     "vkEnumeratePhysicalDevices");
        for (std::uint32_t i = 0; i < count; ++i) {
            VkPhysicalDeviceProperties properties{};
            vk.vkGetPhysicalDeviceProperties(all[i], &properties);
            if (wanted.info().name == properties.deviceName && skip-- == 0) {
                physical = all[i];
                return;
            }
        }
        throw std::runtime_error("The raw side found no Vulkan device with the name " + wanted.info().name +
                                 ".");
    }
    void make_device() {
        std::array<VkQueueFamilyProperties, 16> families{};
        auto count = static_cast<std::uint32_t>(families.size());
        vk.vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
        while (family < count && (families[family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0) {
            ++family;
        }
        if (family == count) {
            throw std::runtime_error("The raw side found no queue for compute commands.");
        }
        queue_count = std::min(families[family].queueCount, 2U);
        constexpr std::array<float, 2> priorities{1, 1};
        auto queues = info_of<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
        queues.queueFamilyIndex = family;
        queues.queueCount = queue_count;
        queues.pQueuePriorities = priorities.data();
        auto features12 =
            info_of<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
        auto features = info_of<VkPhysicalDeviceFeatures2>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
        features.pNext = &features12;
        vk.vkGetPhysicalDeviceFeatures2(physical, &features); // Enables all that the device has.
        auto info = info_of<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
        info.pNext = &features;
        info.queueCreateInfoCount = 1;
        info.pQueueCreateInfos = &queues;
        check_vulkan(vk.vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    }
};

#undef BENCH_INSTANCE_CALLS
#undef BENCH_DEVICE_CALLS

} // namespace bench
