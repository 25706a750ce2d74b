// SPDX-License-Identifier: Apache-2.0
// Raw calls of Vulkan on Ferry's memory.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "vendor.hpp"
#include "vulkan/vulkan_api.hpp"

#include <ferry/interop/vulkan.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace interop_vulkan_test {

using namespace conformance;
using ferry::Code;
using Word = std::uint32_t;
namespace interop = ferry::interop::vulkan;
namespace vk = ferry::vulkan;
namespace c = ferry::vulkan::constant;

namespace {

/// A program with its own command buffer, which has the functions from the loader that Ferry has opened.
class Program {
public:
    explicit Program(const ferry::Device& device) : ferry_device_(device) {
        vk::InstanceApi instance;
        instance.lookup = reinterpret_cast<vk::InstanceLookup>(interop::instance_lookup(device));
        REQUIRE(instance.load_instance(static_cast<vk::Instance>(interop::instance(device))).empty());
        device_ = static_cast<vk::Device>(interop::device(device));
        REQUIRE(api_.load(instance, device_).empty());
        destroy_pool_ =
            reinterpret_cast<DestroyPool>(instance.vkGetDeviceProcAddr(device_, "vkDestroyCommandPool"));
        vk::CommandPoolCreateInfo pool;
        pool.family = interop::queue_family(device);
        REQUIRE(api_.vkCreateCommandPool(device_, &pool, nullptr, &pool_) == c::success);
        vk::CommandBufferAllocateInfo buffers;
        buffers.pool = pool_;
        buffers.count = 1;
        REQUIRE(api_.vkAllocateCommandBuffers(device_, &buffers, &commands_) == c::success);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() { destroy_pool_(device_, pool_, nullptr); }

    /// vkCmdFillBuffer on the range of a view, submitted to the queue's VkQueue.
    void fill(const ferry::Queue& queue, const ferry::View<Word>& view, Word value) {
        const interop::MemoryRange range = interop::memory(view);
        vk::CommandBufferBeginInfo begin;
        begin.flags = c::submit_once;
        REQUIRE(api_.vkBeginCommandBuffer(commands_, &begin) == c::success);
        vk::MemoryBarrier barrier;
        barrier.before = c::access_write;
        barrier.after = c::access_write;
        api_.vkCmdPipelineBarrier.function(commands_, c::stage_all, c::stage_all, 0, 1, &barrier, 0, nullptr,
                                           0, nullptr);
        api_.vkCmdFillBuffer.function(commands_, static_cast<vk::Buffer>(range.buffer), range.offset,
                                      view.size_bytes(), value);
        REQUIRE(api_.vkEndCommandBuffer(commands_) == c::success);
        vk::SubmitInfo info;
        info.buffer_count = 1;
        info.buffers = &commands_;
        void* const native = interop::queue(queue);
        const interop::QueueLock lock(ferry_device_, native);
        REQUIRE(api_.vkQueueSubmit(static_cast<vk::Queue>(native), 1, &info, nullptr) == c::success);
    }
    std::uint64_t value_of(void* semaphore) const {
        std::uint64_t value = 0;
        REQUIRE(api_.vkGetSemaphoreCounterValue(device_, static_cast<vk::Semaphore>(semaphore), &value) ==
                c::success);
        return value;
    }
    std::uint64_t address_of(void* buffer) const {
        vk::BufferDeviceAddressInfo info;
        info.buffer = static_cast<vk::Buffer>(buffer);
        return api_.vkGetBufferDeviceAddress(device_, &info);
    }

private:
    using DestroyPool = void (*)(vk::Device, vk::CommandPool, const void*);
    ferry::Device ferry_device_;
    vk::Device device_ = nullptr;
    vk::DeviceApi api_;
    DestroyPool destroy_pool_ = nullptr;
    vk::CommandPool pool_ = nullptr;
    vk::CommandBuffer commands_ = nullptr;
};

} // namespace

FERRY_TEST("handles of Vulkan: vkCmdFillBuffer on a part of a buffer, between Ferry's commands") {
    ferry::Queue queue{device};
    ferry::Buffer<Word> other{device, 100};
    ferry::Buffer<Word> data{device, 1001};
    Program program{device};
    queue.fill(data, 1U);
    program.fill(queue, data.subview(10, 500), 7);
    queue.fill(data.subview(20, 5), 2U);
    std::vector<Word> expected(1001, 1U);
    std::fill_n(expected.begin() + 10, 500, 7U);
    std::fill_n(expected.begin() + 20, 5, 2U);
    check_same(queue.read(data), expected);
}

FERRY_TEST("handles of Vulkan: finish() includes the caller's commands") {
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 64, ferry::MemoryKind::host};
    Program program{device};
    queue.fill(data, 1U);
    program.fill(queue, data, 9);
    queue.finish();
    const auto values = data.span();
    CHECK(std::vector<Word>(values.begin(), values.end()) == std::vector<Word>(64, 9U));
}

FERRY_TEST("handles of Vulkan: the semaphore of an event has its value when the event is complete") {
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 64};
    Program program{device};
    queue.fill(data, 1U);
    const ferry::Event event = queue.record();
    const interop::SemaphoreValue native = interop::event(event);
    REQUIRE(native.semaphore != nullptr);
    event.wait();
    CHECK(program.value_of(native.semaphore) >= native.value);
}

FERRY_TEST("handles of Vulkan: the address of a view is that of its VkBuffer and its offset") {
    ferry::Buffer<Word> first{device, 100};
    ferry::Buffer<Word> second{device, 100};
    const Program program{device};
    for (const ferry::View<Word>& view : {first.view(), second.view(), second.subview(25, 4)}) {
        const interop::MemoryRange range = interop::memory(view);
        REQUIRE(range.buffer != nullptr);
        CHECK(range.memory != nullptr);
        CHECK(range.address == program.address_of(range.buffer) + range.offset);
    }
}

FERRY_TEST("handles of Vulkan: an adopted VkBuffer is a buffer like any other") {
    const auto vendor = vendor_of(device);
    const std::uint64_t memory = vendor->allocate(1000);
    vendor->keep(memory);
    {
        ferry::Queue queue{device};
        ferry::Buffer<Word> adopted = vendor->adopt(memory, 1000);
        CHECK(interop::memory(adopted).memory != nullptr);
        queue.fill(adopted, 3U);
        check_same(queue.read(adopted), std::vector<Word>(1000, 3U));
    }
    vendor->forget(memory);
    check_still_works(device);
}

FERRY_TEST("handles of Vulkan: a borrowed VkBuffer must have enough bytes") {
    const auto vendor = vendor_of(device);
    const std::uint64_t memory = vendor->allocate(1000);
    expect_error_anywhere(Code::out_of_range, {"VkBuffer", "400000"},
                          [&] { (void)vendor->borrow(memory, 100000); });
    vendor->release(memory);
}

FERRY_TEST("handles of Vulkan: a lock of a VkQueue that is not the device's is refused") {
    int something = 0;
    expect_error_anywhere(Code::invalid_argument, {"not one of the", device.info().name},
                          [&] { const interop::QueueLock lock(device, &something); });
    check_still_works(device);
}

FERRY_TEST("interop: Vulkan's handles of other backends' objects are refused, naming both") {
    if (device.backend() == ferry::Backend::vulkan) {
        throw ferry::Error(Code::unsupported, device.id() + " has these handles");
    }
    ferry::Queue queue{device};
    ferry::Buffer<Word> data{device, 10};
    const auto refuses = [&](auto call) {
        expect_error_anywhere(Code::invalid_argument, {device.id(), "vulkan"}, call);
    };
    refuses([&] { (void)interop::instance(device); });
    refuses([&] { (void)interop::device(device); });
    refuses([&] { (void)interop::queue(queue); });
    refuses([&] { (void)interop::event(queue.record()); });
    refuses([&] { (void)interop::memory(data); });
    refuses([&] { (void)interop::borrow_buffer<Word>(device, &queue, 1); });
    refuses([&] { const interop::QueueLock lock(device, &queue); });
}

} // namespace interop_vulkan_test
