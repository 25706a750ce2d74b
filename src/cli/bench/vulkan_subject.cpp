// SPDX-License-Identifier: Apache-2.0
#include "subject_of.hpp"

#if __has_include(<vulkan/vulkan_core.h>)
#include <vulkan/vulkan_core.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

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

void check(VkResult result, const char* call) {
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

/// Memory of the device, or memory that the host sees.
struct Memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* host = nullptr;
    VkDeviceAddress address = 0;
};

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
        check(vk_.vkCreateSemaphore(device, &info, nullptr, &semaphore_), "vkCreateSemaphore");
        auto pool = info_of<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
        pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT | VK_COMMAND_POOL_CREATE_TRANSIENT_BIT;
        pool.queueFamilyIndex = family;
        check(vk_.vkCreateCommandPool(device, &pool, nullptr, &pool_), "vkCreateCommandPool");
        auto buffers = info_of<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
        buffers.commandPool = pool_;
        buffers.commandBufferCount = static_cast<std::uint32_t>(ring_.size());
        check(vk_.vkAllocateCommandBuffers(device, &buffers, ring_.data()), "vkAllocateCommandBuffers");
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
            check(vk_.vkBeginCommandBuffer(buffer, &info), "vkBeginCommandBuffer");
            open_ = true;
        }
        barrier(buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
        ++count_;
        return buffer;
    }
    void submit(const Commands* after = nullptr) {
        if (!open_ && after == nullptr) {
            return;
        }
        if (open_) {
            barrier(ring_[at_], VK_PIPELINE_STAGE_HOST_BIT,
                    VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
            check(vk_.vkEndCommandBuffer(ring_[at_]), "vkEndCommandBuffer");
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
        check(vk_.vkQueueSubmit(queue_, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
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
        check(vk_.vkWaitSemaphores(device_, &info, ~std::uint64_t{0}), "vkWaitSemaphores");
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
        check(vk.vkCreateInstance(&info, nullptr, &instance), "vkCreateInstance");
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
        check(vk.vkEnumeratePhysicalDevices(instance, &count, all.data()), "vkEnumeratePhysicalDevices");
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
        check(vk.vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    }
};

/// The last push constant of a module of Ferry's compiler (ferry/source.hpp).
struct Launch {
    std::uint32_t group_base[3] = {};
    std::uint32_t dimensions = 1;
    std::uint32_t groups[3] = {};
    std::uint32_t reserved = 0;
    std::uint64_t offset[3] = {};
};

class VulkanSubject final : public SubjectOf<VulkanSubject> {
public:
    explicit VulkanSubject(const Setup& setup)
        : bytes_(setup.bytes),
          shared_bytes_(shared_bytes(setup)),
          on_(setup.device),
          vk_(on_.vk),
          queue_(vk_, on_.device, queue(0), on_.family),
          other_(vk_, on_.device, queue(on_.queue_count - 1), on_.family) {
        up_ = host_memory(bytes_);
        down_ = host_memory(bytes_);
        for (std::size_t i = 0; i < arrays_.size(); ++i) {
            arrays_[i] = device_memory(i < 3 ? bytes_ : small_bytes);
        }
        if (shared_bytes_ != 0) {
            shared_ = shared_memory(shared_bytes_);
        }
        make_pipelines(setup.code);
        auto stamps = info_of<VkQueryPoolCreateInfo>(VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO);
        stamps.queryType = VK_QUERY_TYPE_TIMESTAMP;
        stamps.queryCount = 2;
        check(vk_.vkCreateQueryPool(on_.device, &stamps, nullptr, &stamps_), "vkCreateQueryPool");
        VkPhysicalDeviceProperties properties{};
        vk_.vkGetPhysicalDeviceProperties(on_.physical, &properties);
        stamp_period_ = static_cast<double>(properties.limits.timestampPeriod);
        auto* const more = reinterpret_cast<std::uint32_t*>(up_.host);
        for (std::size_t i = 0; i < bump_items; ++i) {
            more[i] = bump_more(i);
        }
        copy(up_, arrays_[more_], bump_items * sizeof *more);
        finish();
    }
    ~VulkanSubject() override {
        vk_.vkDeviceWaitIdle(on_.device);
        vk_.vkDestroyQueryPool(on_.device, stamps_, nullptr);
        for (const VkPipeline pipeline : pipelines_) {
            vk_.vkDestroyPipeline(on_.device, pipeline, nullptr);
        }
        for (const VkPipelineLayout layout : layouts_) {
            vk_.vkDestroyPipelineLayout(on_.device, layout, nullptr);
        }
        for (const Memory& memory : arrays_) {
            free(memory);
        }
        for (const Memory& memory : {up_, down_, shared_}) {
            free(memory);
        }
    }

    std::string_view why_not(Operation operation) const override {
        return operation == Operation::up_pageable || operation == Operation::down_pageable
                   ? "Vulkan has no copy of ordinary memory."
                   : std::string_view{};
    }

    void launch_bump() {
        launch(bump, bump_items, bump_items, address(Array::data), arrays_[more_].address, bump_add,
               bump_items);
    }
    void stream(KernelIndex kernel, std::size_t bytes) {
        const std::size_t items = bytes / 16;
        const std::uint64_t a = address(Array::first);
        const std::uint64_t b = address(Array::second);
        const std::uint64_t c = address(Array::third);
        switch (kernel) {
        case KernelIndex::copy:
            return launch(kernel, items, stream_group, a, c);
        case mul:
            return launch(kernel, items, stream_group, b, c);
        case dot:
            return launch(kernel, std::size_t{dot_groups} * stream_group, stream_group, a, b,
                          address(Array::sums), static_cast<std::uint32_t>(items));
        default:
            return launch(kernel, items, stream_group, a, b, c);
        }
    }
    void hold(std::uint32_t rounds) {
        launch(KernelIndex::hold, 1, 1, address(Array::sums), rounds);
        queue_.submit();
    }

    void finish() { queue_.finish(); }
    void up(std::size_t bytes) { copy(up_, array(Array::first), bytes); }
    void down(std::size_t bytes) { copy(array(Array::first), down_, bytes); }
    void up_pageable(std::size_t) {}   // See why_not().
    void down_pageable(std::size_t) {} // See why_not().
    void both(std::size_t bytes) {
        copy(up_, array(Array::first), bytes);
        queue_.submit();
        const VkBufferCopy region{0, 0, bytes};
        vk_.vkCmdCopyBuffer(other_.next(), array(Array::second).buffer, down_.buffer, 1, &region);
        other_.submit();
    }
    void between(std::size_t bytes) { copy(array(Array::first), array(Array::second), bytes); }
    void fill(std::size_t bytes) {
        vk_.vkCmdFillBuffer(queue_.next(), array(Array::first).buffer, 0, bytes, pattern_);
    }
    void allocate(std::size_t bytes) { free(device_memory(bytes)); }
    void allocate_pinned(std::size_t bytes) { free(host_memory(bytes)); }
    void allocate_shared(std::size_t bytes) { free(shared_memory(bytes)); }
    void touch_on_device(std::size_t bytes) { launch(touch, bytes / 16, stream_group, shared_.address); }
    void record() { queue_.submit(); }
    void record_wait_other() {
        queue_.submit();
        other_.submit(&queue_);
    }
    void record_wait_host() { queue_.finish(); }

    void stamp(std::uint32_t i) {
        VkCommandBuffer buffer = queue_.next();
        vk_.vkCmdResetQueryPool(buffer, stamps_, i, 1);
        vk_.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, i);
        if (i == 0) {
            queue_.submit();
        }
    }
    bool stamped(std::uint32_t i) {
        queue_.submit();
        std::uint64_t ticks = 0;
        return vk_.vkGetQueryPoolResults(on_.device, stamps_, i, 1, sizeof ticks, &ticks, sizeof ticks,
                                         VK_QUERY_RESULT_64_BIT) == VK_SUCCESS;
    }
    std::optional<double> stamped_time() {
        std::array<std::uint64_t, 2> ticks{};
        check(vk_.vkGetQueryPoolResults(on_.device, stamps_, 0, 2, sizeof ticks, ticks.data(),
                                        sizeof ticks[0], VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              "vkGetQueryPoolResults");
        return static_cast<double>(ticks[1] - ticks[0]) * stamp_period_;
    }

    void finish_all() override {
        finish();
        other_.finish();
    }
    std::span<std::byte> host(HostArray which) override {
        switch (which) {
        case HostArray::up:
            return {up_.host, bytes_};
        case HostArray::down:
            return {down_.host, bytes_};
        case HostArray::shared:
            return {shared_.host, shared_bytes_};
        default:
            ordinary_.resize(bytes_);
            return ordinary_;
        }
    }
    void set_pattern(std::uint32_t pattern) override { pattern_ = pattern; }
    void write(Array to, std::span<const std::byte> from) override {
        for (std::size_t done = 0; done < from.size(); done += bytes_) {
            const std::size_t part = std::min(bytes_, from.size() - done);
            std::vector<std::byte> kept(up_.host, up_.host + part);
            std::memcpy(up_.host, from.data() + done, part);
            copy(up_, array(to), part, done);
            finish();
            std::memcpy(up_.host, kept.data(), part);
        }
    }
    void read(Array from, std::span<std::byte> to) override {
        std::vector<std::byte> kept(down_.host, down_.host + to.size());
        copy(array(from), down_, to.size());
        finish();
        std::memcpy(to.data(), down_.host, to.size());
        std::memcpy(down_.host, kept.data(), kept.size());
    }

private:
    static constexpr std::size_t more_ = 5;

    VkQueue queue(std::uint32_t index) const {
        VkQueue made = VK_NULL_HANDLE;
        vk_.vkGetDeviceQueue(on_.device, on_.family, index, &made);
        return made;
    }
    const Memory& array(Array which) const { return arrays_[static_cast<std::size_t>(which)]; }
    std::uint64_t address(Array which) const { return array(which).address; }

    void copy(const Memory& from, const Memory& to, std::size_t bytes, std::size_t to_offset = 0) {
        const VkBufferCopy region{0, to_offset, bytes};
        vk_.vkCmdCopyBuffer(queue_.next(), from.buffer, to.buffer, 1, &region);
    }

    Memory allocate(std::size_t bytes, VkMemoryPropertyFlags needs, VkMemoryPropertyFlags prefers) {
        auto info = info_of<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
        info.size = bytes;
        info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                     VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
        Memory made;
        check(vk_.vkCreateBuffer(on_.device, &info, nullptr, &made.buffer), "vkCreateBuffer");
        VkMemoryRequirements requirements{};
        vk_.vkGetBufferMemoryRequirements(on_.device, made.buffer, &requirements);
        VkPhysicalDeviceMemoryProperties types{};
        vk_.vkGetPhysicalDeviceMemoryProperties(on_.physical, &types);
        std::uint32_t chosen = types.memoryTypeCount;
        for (const VkMemoryPropertyFlags wanted : {needs | prefers, needs}) {
            for (std::uint32_t i = 0; i < types.memoryTypeCount && chosen == types.memoryTypeCount; ++i) {
                const bool allowed = (requirements.memoryTypeBits >> i & 1U) != 0;
                chosen = allowed && (types.memoryTypes[i].propertyFlags & wanted) == wanted ? i : chosen;
            }
        }
        auto flags = info_of<VkMemoryAllocateFlagsInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO);
        flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
        auto memory = info_of<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
        memory.pNext = &flags;
        memory.allocationSize = requirements.size;
        memory.memoryTypeIndex = chosen;
        check(vk_.vkAllocateMemory(on_.device, &memory, nullptr, &made.memory), "vkAllocateMemory");
        check(vk_.vkBindBufferMemory(on_.device, made.buffer, made.memory, 0), "vkBindBufferMemory");
        auto address = info_of<VkBufferDeviceAddressInfo>(VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO);
        address.buffer = made.buffer;
        made.address = vk_.vkGetBufferDeviceAddress(on_.device, &address);
        if ((needs & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) != 0) {
            void* host = nullptr;
            check(vk_.vkMapMemory(on_.device, made.memory, 0, VK_WHOLE_SIZE, 0, &host), "vkMapMemory");
            made.host = static_cast<std::byte*>(host);
        }
        return made;
    }
    Memory device_memory(std::size_t bytes) {
        return allocate(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    }
    Memory host_memory(std::size_t bytes) {
        return allocate(bytes, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                        VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    }
    Memory shared_memory(std::size_t bytes) {
        return allocate(bytes,
                        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                            VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                        VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    }
    void free(const Memory& memory) {
        vk_.vkDestroyBuffer(on_.device, memory.buffer, nullptr);
        vk_.vkFreeMemory(on_.device, memory.memory, nullptr);
    }

    /// The size of the arguments of each kernel in bench.cl, in bytes. The struct Launch follows.
    static constexpr std::array<std::uint32_t, kernel_count> argument_bytes{24, 16, 16, 16, 24, 24, 32, 8};
    static constexpr std::array<std::uint32_t, kernel_count> group_sizes{
        bump_items, 1, stream_group, stream_group, stream_group, stream_group, stream_group, stream_group};

    void make_pipelines(std::span<const std::byte> code) {
        auto module_info = info_of<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
        std::vector<std::uint32_t> words(code.size() / sizeof(std::uint32_t));
        std::memcpy(words.data(), code.data(), words.size() * sizeof words[0]);
        module_info.codeSize = words.size() * sizeof words[0];
        module_info.pCode = words.data();
        VkShaderModule module = VK_NULL_HANDLE;
        check(vk_.vkCreateShaderModule(on_.device, &module_info, nullptr, &module), "vkCreateShaderModule");
        for (std::size_t i = 0; i < kernel_count; ++i) {
            const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                            argument_bytes[i] + static_cast<std::uint32_t>(sizeof(Launch))};
            auto layout = info_of<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
            layout.pushConstantRangeCount = 1;
            layout.pPushConstantRanges = &range;
            check(vk_.vkCreatePipelineLayout(on_.device, &layout, nullptr, &layouts_[i]),
                  "vkCreatePipelineLayout");
            const std::array<std::uint32_t, 3> sizes{group_sizes[i], 1, 1};
            constexpr std::array<VkSpecializationMapEntry, 3> entries{{{0, 0, 4}, {1, 4, 4}, {2, 8, 4}}};
            const VkSpecializationInfo constants{3, entries.data(), sizeof sizes, sizes.data()};
            auto info = info_of<VkComputePipelineCreateInfo>(VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
            info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
            info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
            info.stage.module = module;
            info.stage.pName = kernel_names[i];
            info.stage.pSpecializationInfo = &constants;
            info.layout = layouts_[i];
            check(vk_.vkCreateComputePipelines(on_.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipelines_[i]),
                  "vkCreateComputePipelines");
        }
        vk_.vkDestroyShaderModule(on_.device, module, nullptr);
    }
    template <class... Values>
    void launch(KernelIndex which, std::size_t items, std::size_t group, const Values&... values) {
        std::array<std::byte, 32 + sizeof(Launch)> push{};
        std::size_t at = 0;
        const auto add = [&](const auto& value) { // Largest first, so that no gaps are needed.
            std::memcpy(push.data() + at, &value, sizeof value);
            at += sizeof value;
        };
        (add(values), ...);
        const auto groups = static_cast<std::uint32_t>(items / group);
        Launch launch;
        launch.groups[0] = groups;
        launch.groups[1] = launch.groups[2] = 1;
        std::memcpy(push.data() + argument_bytes[which], &launch, sizeof launch);
        VkCommandBuffer buffer = queue_.next();
        vk_.vkCmdBindPipeline(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_[which]);
        vk_.vkCmdPushConstants(buffer, layouts_[which], VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               argument_bytes[which] + static_cast<std::uint32_t>(sizeof launch),
                               push.data());
        vk_.vkCmdDispatch(buffer, groups, 1, 1);
    }

    std::size_t bytes_;
    std::size_t shared_bytes_;
    Opened on_;
    const VulkanCalls& vk_;
    Commands queue_;
    Commands other_;
    Memory up_, down_, shared_;
    std::array<Memory, 6> arrays_{}; ///< Indexed by Array, followed by the addend of bump.
    std::array<VkPipelineLayout, kernel_count> layouts_{};
    std::array<VkPipeline, kernel_count> pipelines_{};
    VkQueryPool stamps_ = VK_NULL_HANDLE;
    double stamp_period_ = 1;
    std::uint32_t pattern_ = 0;
    std::vector<std::byte> ordinary_;
};

} // namespace

std::unique_ptr<Subject> vulkan_subject(const Setup& setup) {
    return std::make_unique<VulkanSubject>(setup);
}

} // namespace bench

#else
namespace bench {

std::unique_ptr<Subject> vulkan_subject(const Setup&) {
    return nullptr;
}

} // namespace bench
#endif
