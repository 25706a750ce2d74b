// SPDX-License-Identifier: Apache-2.0
#include "subject_of.hpp"

#if __has_include(<vulkan/vulkan_core.h>)
#include "vulkan_calls.hpp"

#include <array>
#include <cstring>

namespace bench {
namespace {

/// Memory of the device, or memory that the host sees.
struct Memory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    std::byte* host = nullptr;
    VkDeviceAddress address = 0;
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
        staging_ = host_memory(std::max(bytes_, small_bytes));
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
        for (const Memory& memory : {up_, down_, staging_, shared_}) {
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
    void record() { queue_.submit_after(nullptr); }
    void record_wait_other() {
        queue_.submit_after(nullptr);
        other_.submit_after(&queue_);
    }
    void record_wait_host() {
        queue_.submit_after(nullptr);
        queue_.finish();
    }

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
        std::memcpy(staging_.host, from.data(), from.size());
        copy(staging_, array(to), from.size());
        finish();
    }
    void read(Array from, std::span<std::byte> to) override {
        copy(array(from), staging_, to.size());
        finish();
        std::memcpy(to.data(), staging_.host, to.size());
    }

private:
    static constexpr std::size_t more_ = 5;

    static void check(VkResult result, const char* call) { check_vulkan(result, call); }
    VkQueue queue(std::uint32_t index) const {
        VkQueue made = VK_NULL_HANDLE;
        vk_.vkGetDeviceQueue(on_.device, on_.family, index, &made);
        return made;
    }
    const Memory& array(Array which) const { return arrays_[static_cast<std::size_t>(which)]; }
    std::uint64_t address(Array which) const { return array(which).address; }

    void copy(const Memory& from, const Memory& to, std::size_t bytes) {
        const VkBufferCopy region{0, 0, bytes};
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
    Memory staging_;                 ///< For write() and read().
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
