// SPDX-License-Identifier: Apache-2.0
#include "vendor.hpp"
#include "vulkan/vulkan_api.hpp"

#include <ferry/interop/vulkan.hpp>

#include <cstring>
#include <stdexcept>

namespace conformance::vulkan_calls {
namespace {

namespace interop = ferry::interop::vulkan;
namespace vk = ferry::vulkan;
namespace c = ferry::vulkan::constant;

void check(vk::Result result, const char* call) {
    if (result != c::success) {
        throw std::runtime_error(std::string(call) + " returned " + std::to_string(result));
    }
}

/// What the tests know as memory and as an event.
struct Memory {
    vk::Buffer buffer = nullptr;
    vk::DeviceMemory memory = nullptr;
    bool adopted = false;
};

class VulkanVendor final : public Vendor {
public:
    explicit VulkanVendor(const ferry::Device& device)
        : ferry_device_(device),
          physical_(static_cast<vk::PhysicalDevice>(interop::physical_device(device))),
          device_(static_cast<vk::Device>(interop::device(device))) {
        instance_.lookup = reinterpret_cast<vk::InstanceLookup>(interop::instance_lookup(device));
        if (!instance_.load_instance(static_cast<vk::Instance>(interop::instance(device))).empty() ||
            !api_.load(instance_, device_).empty()) {
            throw std::runtime_error("the native instance or device lacks a function");
        }
        vk::CommandPoolCreateInfo info;
        info.family = interop::queue_family(device);
        check(api_.vkCreateCommandPool(device_, &info, nullptr, &pool_), "vkCreateCommandPool");
    }
    ~VulkanVendor() override {
        static_cast<void>(find<vk::Result(vk::Device)>("vkDeviceWaitIdle")(device_));
        find<void(vk::Device, vk::CommandPool, const void*)>("vkDestroyCommandPool")(device_, pool_, nullptr);
        for (vk::Semaphore semaphore : semaphores_) {
            find<void(vk::Device, vk::Semaphore, const void*)>("vkDestroySemaphore")(device_, semaphore,
                                                                                     nullptr);
        }
    }

    std::string device_name() const override {
        vk::PhysicalDeviceProperties properties;
        instance_.vkGetPhysicalDeviceProperties.function(physical_, &properties);
        return properties.name;
    }
    std::string kernel_name(const ferry::Kernel&) const override { return ""; }

    std::uint64_t allocate(std::size_t words) const override {
        return reinterpret_cast<std::uint64_t>(new Memory(make_memory(words, c::device_local)));
    }
    void release(std::uint64_t memory) const override {
        destroy(*of(memory));
        delete of(memory);
    }
    bool lives(std::uint64_t memory) const override {
        if (!of(memory)->adopted) {
            return true; // Only release() ends it.
        }
        throw ferry::Error(ferry::Code::unsupported, "Vulkan does not report whether memory exists");
    }
    void keep(std::uint64_t) const override {}
    void forget(std::uint64_t memory) const override {
        if (of(memory)->adopted) {
            delete of(memory);
        }
    }

    void copy(const ferry::Queue& queue, std::uint64_t from, std::uint64_t to,
              std::size_t words) const override {
        copy_on(interop::queue(queue), from, to, words);
    }
    std::vector<Word> read(const ferry::Queue& queue, std::uint64_t memory,
                           std::size_t words) const override {
        const Memory staging = make_memory(words, c::host_visible | c::host_coherent);
        void* const native = interop::queue(queue);
        submit_copy(native, *of(memory), staging, words);
        finish(native);
        void* host = nullptr;
        check(api_.vkMapMemory(device_, staging.memory, 0, c::whole_size, 0, &host), "vkMapMemory");
        std::vector<Word> result(words);
        std::memcpy(result.data(), host, words * sizeof(Word));
        destroy(staging);
        return result;
    }

    void* make_queue() const override {
        vk::Queue queue = nullptr;
        api_.vkGetDeviceQueue.function(device_, interop::queue_family(ferry_device_), 0, &queue);
        return queue;
    }
    void release_queue(void*) const override {} // It belongs to the VkDevice.
    void copy_on(void* queue, std::uint64_t from, std::uint64_t to, std::size_t words) const override {
        submit_copy(queue, *of(from), *of(to), words);
    }
    void finish(void* queue) const override {
        const interop::QueueLock lock(ferry_device_, queue);
        check(find<vk::Result(vk::Queue)>("vkQueueWaitIdle")(static_cast<vk::Queue>(queue)),
              "vkQueueWaitIdle");
    }
    void* record(void* queue) const override {
        auto* const event = new interop::SemaphoreValue{make_semaphore(), 1};
        vk::SubmitInfo info;
        vk::TimelineSemaphoreSubmitInfo values;
        auto* const semaphore = static_cast<vk::Semaphore>(event->semaphore);
        values.signal_count = info.signal_count = 1;
        values.signals = &event->value;
        info.signals = &semaphore;
        submit(queue, info, values);
        return event;
    }
    void release_event(void* event) const override { delete static_cast<interop::SemaphoreValue*>(event); }
    void wait_for(void* queue, void* event) const override {
        const auto& wanted = *static_cast<interop::SemaphoreValue*>(event);
        vk::SubmitInfo info;
        vk::TimelineSemaphoreSubmitInfo values;
        auto* const semaphore = static_cast<vk::Semaphore>(wanted.semaphore);
        const std::uint32_t stage = c::stage_all;
        values.wait_count = info.wait_count = 1;
        values.waits = &wanted.value;
        info.waits = &semaphore;
        info.wait_stages = &stage;
        submit(queue, info, values);
    }

    ferry::Queue borrow_queue(void* queue) const override {
        return interop::borrow_queue(ferry_device_, queue);
    }
    void wait_event(ferry::Queue& queue, void* event) const override {
        const auto* const wanted = static_cast<interop::SemaphoreValue*>(event);
        interop::wait_event(queue, wanted != nullptr ? wanted->semaphore : nullptr,
                            wanted != nullptr ? wanted->value : 0);
    }
    void* event_of(const ferry::Event& event) const override {
        events_.push_back(std::make_unique<interop::SemaphoreValue>(interop::event(event)));
        return events_.back().get();
    }
    ferry::Device find_device() const override { return interop::find_device(physical_); }
    std::vector<std::pair<std::string, void*>> unfit_queues() const override {
        return {{"not one of the", device_}}; // Any other address.
    }

    ferry::Buffer<Word> borrow(std::uint64_t memory, std::size_t words) const override {
        return interop::borrow_buffer<Word>(ferry_device_, memory != 0 ? of(memory)->buffer : nullptr, words);
    }
    ferry::Buffer<Word> adopt(std::uint64_t memory, std::size_t words) const override {
        Memory& own = *of(memory);
        ferry::Buffer<Word> buffer =
            interop::adopt_buffer<Word>(ferry_device_, own.buffer, own.memory, words);
        own.adopted = true;
        return buffer;
    }
    std::size_t distance(const ferry::View<Word>& whole, const ferry::View<Word>& part) const override {
        const interop::MemoryRange a = interop::memory(whole);
        const interop::MemoryRange b = interop::memory(part);
        if (a.buffer == nullptr || a.buffer != b.buffer || a.memory != b.memory ||
            b.address - a.address != b.offset - a.offset) {
            throw std::runtime_error("two views of one buffer lie in different memory");
        }
        return b.offset - a.offset;
    }

private:
    static Memory* of(std::uint64_t memory) { return reinterpret_cast<Memory*>(memory); }
    template <class Function>
    Function* find(const char* name) const {
        return reinterpret_cast<Function*>(instance_.vkGetDeviceProcAddr(device_, name));
    }

    Memory make_memory(std::size_t words, std::int32_t properties) const {
        Memory made;
        vk::BufferCreateInfo info;
        info.bytes = words * sizeof(Word);
        info.usage =
            static_cast<std::uint32_t>(c::copy_source | c::copy_target | c::storage | c::addressable);
        check(api_.vkCreateBuffer(device_, &info, nullptr, &made.buffer), "vkCreateBuffer");
        vk::MemoryRequirements needs;
        api_.vkGetBufferMemoryRequirements.function(device_, made.buffer, &needs);
        vk::PhysicalDeviceMemoryProperties2 types;
        instance_.vkGetPhysicalDeviceMemoryProperties2.function(physical_, &types);
        vk::MemoryAllocateFlagsInfo flags;
        flags.flags = c::allocate_address;
        vk::MemoryAllocateInfo allocation;
        allocation.next = &flags;
        allocation.bytes = needs.bytes;
        const auto wanted = static_cast<std::uint32_t>(properties);
        while ((needs.types >> allocation.memory_type & 1U) == 0 ||
               (types.memory.types[allocation.memory_type].flags & wanted) != wanted) {
            ++allocation.memory_type;
        }
        check(api_.vkAllocateMemory(device_, &allocation, nullptr, &made.memory), "vkAllocateMemory");
        check(api_.vkBindBufferMemory(device_, made.buffer, made.memory, 0), "vkBindBufferMemory");
        return made;
    }
    void destroy(const Memory& memory) const {
        api_.vkDestroyBuffer.function(device_, memory.buffer, nullptr);
        api_.vkFreeMemory.function(device_, memory.memory, nullptr);
    }
    vk::Semaphore make_semaphore() const {
        vk::SemaphoreTypeCreateInfo type;
        type.kind = c::timeline;
        vk::SemaphoreCreateInfo info;
        info.next = &type;
        vk::Semaphore semaphore = nullptr;
        check(api_.vkCreateSemaphore(device_, &info, nullptr, &semaphore), "vkCreateSemaphore");
        semaphores_.push_back(semaphore);
        return semaphore;
    }
    void submit(void* queue, vk::SubmitInfo& info, const vk::TimelineSemaphoreSubmitInfo& values) const {
        info.next = &values;
        const interop::QueueLock lock(ferry_device_, queue);
        check(api_.vkQueueSubmit(static_cast<vk::Queue>(queue), 1, &info, nullptr), "vkQueueSubmit");
    }
    void submit_copy(void* queue, const Memory& from, const Memory& to, std::size_t words) const {
        vk::CommandBufferAllocateInfo allocation;
        allocation.pool = pool_;
        allocation.count = 1;
        vk::CommandBuffer buffer = nullptr;
        check(api_.vkAllocateCommandBuffers(device_, &allocation, &buffer), "vkAllocateCommandBuffers");
        vk::CommandBufferBeginInfo begin;
        begin.flags = c::submit_once;
        check(api_.vkBeginCommandBuffer(buffer, &begin), "vkBeginCommandBuffer");
        vk::MemoryBarrier barrier;
        barrier.before = static_cast<std::uint32_t>(c::access_write);
        barrier.after = static_cast<std::uint32_t>(c::access_read | c::access_write);
        const auto separate = [&](std::uint32_t stage, std::uint32_t access) {
            barrier.after = access;
            api_.vkCmdPipelineBarrier.function(buffer, c::stage_all, stage, 0, 1, &barrier, 0, nullptr, 0,
                                               nullptr);
        };
        separate(c::stage_all, static_cast<std::uint32_t>(c::access_read | c::access_write));
        const vk::BufferCopy region{0, 0, words * sizeof(Word)};
        api_.vkCmdCopyBuffer.function(buffer, from.buffer, to.buffer, 1, &region);
        separate(c::stage_host, c::access_host_read);
        check(api_.vkEndCommandBuffer(buffer), "vkEndCommandBuffer");
        vk::SubmitInfo info;
        info.buffer_count = 1;
        info.buffers = &buffer;
        const vk::TimelineSemaphoreSubmitInfo none;
        submit(queue, info, none);
    }

    ferry::Device ferry_device_;
    vk::PhysicalDevice physical_;
    vk::Device device_;
    vk::InstanceApi instance_;
    vk::DeviceApi api_;
    vk::CommandPool pool_ = nullptr;
    mutable std::vector<vk::Semaphore> semaphores_;
    mutable std::vector<std::unique_ptr<interop::SemaphoreValue>> events_;
};

} // namespace
} // namespace conformance::vulkan_calls

std::unique_ptr<conformance::Vendor> conformance::vulkan_vendor(const ferry::Device& device) {
    return std::make_unique<vulkan_calls::VulkanVendor>(device);
}
