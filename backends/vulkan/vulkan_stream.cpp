// SPDX-License-Identifier: Apache-2.0
#include "vulkan_stream.hpp"

#include "hal/poll.hpp"

#include <algorithm>

namespace ferry::vulkan {
namespace {

namespace c = constant;

constexpr std::uint32_t all_access = static_cast<std::uint32_t>(c::access_read | c::access_write);

} // namespace

Stream::Stream(VulkanDevice& device, NativeQueue& native)
    : device_(device), api_(device.api()), native_(native), staging_(device) {
    vulkan::Device on = device.device();
    SemaphoreTypeCreateInfo type;
    type.kind = c::timeline;
    SemaphoreCreateInfo info;
    info.next = &type;
    call(api_.vkCreateSemaphore, on, &info, nullptr, &semaphore_);
    made("vkCreateSemaphore", semaphore_);
    CommandPoolCreateInfo pool_info;
    pool_info.flags = static_cast<std::uint32_t>(c::pool_transient | c::pool_resets_buffers);
    pool_info.family = device.traits().family;
    CommandPool pool = nullptr;
    call(api_.vkCreateCommandPool, on, &pool_info, nullptr, &pool);
    CommandBufferAllocateInfo buffers_info;
    buffers_info.pool = made("vkCreateCommandPool", pool);
    buffers_info.count = ring_size;
    std::array<CommandBuffer, ring_size> buffers{};
    call(api_.vkAllocateCommandBuffers, on, &buffers_info, buffers.data());
    for (std::size_t i = 0; i < ring_size; ++i) {
        ring_[i].buffer = made("vkAllocateCommandBuffers", buffers[i]);
    }
}

void Stream::open() {
    if (is_open_) {
        return;
    }
    Slot& slot = ring_[at_];
    if (!reached(slot.value)) {
        block(slot.value);
    }
    CommandBufferBeginInfo info;
    info.flags = c::submit_once;
    call(api_.vkBeginCommandBuffer, slot.buffer, &info);
    is_open_ = true;
    commands_ = 0;
}

void Stream::barrier(std::uint32_t after_stage, std::uint32_t after_access) {
    MemoryBarrier barrier;
    barrier.before = all_access;
    barrier.after = after_access;
    api_.vkCmdPipelineBarrier.function(ring_[at_].buffer, c::stage_all, after_stage, 0, 1, &barrier, 0,
                                       nullptr, 0, nullptr);
}

CommandBuffer Stream::begin_command() {
    if (commands_ >= most_commands && !unordered_) {
        submit();
    }
    open();
    if (!unordered_ || commands_ == 0) { // Also at the beginning: after those of the submits before.
        separate_steps();
    }
    ++commands_;
    return ring_[at_].buffer;
}

void Stream::separate_steps() {
    barrier(c::stage_all, all_access);
}

void Stream::begin_unordered() {
    open();
    separate_steps();
    commands_ = std::max(commands_, 1U);
    unordered_ = true;
}

std::uint64_t Stream::value() const noexcept {
    const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
    return is_open_ || wait_count_ != 0 || owes_signal_ ? submitted + 1 : submitted;
}

void Stream::wait_for(Stream& other, std::uint64_t value) {
    if (is_open_) { // A semaphore holds up a whole submit.
        submit();
    }
    for (std::size_t i = 0; i < wait_count_; ++i) {
        if (wait_semaphores_[i] == other.semaphore_) {
            wait_values_[i] = std::max(wait_values_[i], value);
            return;
        }
    }
    if (wait_count_ == most_waits) {
        submit();
    }
    wait_semaphores_[wait_count_] = other.semaphore_;
    wait_values_[wait_count_++] = value;
}

Piece Stream::stage(std::size_t least, std::size_t most, std::size_t alignment) {
    if (const Piece piece = staging_.take(least, most, alignment); piece.bytes != 0) {
        return piece;
    }
    submit(); // The device works on the full block meanwhile.
    const std::uint64_t free_at = staging_.next(submitted_.load(std::memory_order_relaxed),
                                                [this](std::uint64_t value) { return reached(value); });
    if (!reached(free_at)) {
        block(free_at);
    }
    device_.host_reads().drain(); // The block may have bytes of reads.
    return staging_.take(least, most, alignment);
}

void Stream::submit() {
    if (!is_open_ && wait_count_ == 0 && !owes_signal_) {
        return;
    }
    try {
        submit_work();
    } catch (...) {
        abandon_work();
        throw;
    }
}

void Stream::submit_work() {
    const std::uint64_t value = submitted_.load(std::memory_order_relaxed) + 1;
    Slot& slot = ring_[at_];
    if (is_open_) {
        barrier(c::stage_host, static_cast<std::uint32_t>(c::access_host_read | c::access_host_write));
        call(api_.vkEndCommandBuffer, slot.buffer);
    }
    static constexpr auto stages = [] {
        std::array<std::uint32_t, most_waits> all{};
        all.fill(c::stage_all);
        return all;
    }();
    TimelineSemaphoreSubmitInfo values;
    values.wait_count = static_cast<std::uint32_t>(wait_count_);
    values.waits = wait_values_.data();
    values.signal_count = 1;
    values.signals = &value;
    SubmitInfo info;
    info.next = &values;
    info.wait_count = static_cast<std::uint32_t>(wait_count_);
    info.waits = wait_semaphores_.data();
    info.wait_stages = stages.data();
    info.buffer_count = is_open_ ? 1 : 0;
    info.buffers = &slot.buffer;
    info.signal_count = 1;
    info.signals = &semaphore_;
    {
        const std::lock_guard lock(native_.mutex);
        call(api_.vkQueueSubmit, native_.queue, 1U, &info, Fence{});
    }
    if (is_open_) {
        slot.value = value;
        at_ = (at_ + 1) % ring_size;
    }
    is_open_ = false;
    commands_ = 0;
    wait_count_ = 0;
    owes_signal_ = false;
    submitted_.store(value, std::memory_order_release);
}

// The commands are lost. Events after them have to be reached nevertheless; the caller gets the error.
void Stream::abandon_work() noexcept {
    const std::uint64_t before = submitted_.load(std::memory_order_relaxed);
    is_open_ = false;
    commands_ = 0;
    wait_count_ = 0;
    try {
        block(before);
        SemaphoreSignalInfo info;
        info.semaphore = semaphore_;
        info.value = before + 1;
        call(api_.vkSignalSemaphore, device_.device(), &info);
    } catch (...) { // The next submit signals it. If the device is lost, all later waits report that.
        owes_signal_ = true;
        return;
    }
    owes_signal_ = false;
    submitted_.store(before + 1, std::memory_order_release);
}

void Stream::submit_up_to(std::uint64_t value) {
    if (submitted_.load(std::memory_order_acquire) < value) {
        const std::lock_guard lock(mutex_);
        submit();
    }
}

bool Stream::reached(std::uint64_t value) {
    if (known_.load(std::memory_order_acquire) >= value) {
        return true;
    }
    std::uint64_t now = 0;
    call(api_.vkGetSemaphoreCounterValue, device_.device(), semaphore_, &now);
    std::uint64_t known = known_.load(std::memory_order_relaxed); // A first guess; the exchange decides.
    while (known < now && !known_.compare_exchange_weak(known, now, std::memory_order_acq_rel)) {
    }
    return now >= value;
}

void Stream::block(std::uint64_t value) {
    SemaphoreWaitInfo info;
    info.count = 1;
    info.semaphores = &semaphore_;
    info.values = &value;
    constexpr std::uint64_t second = 1'000'000'000;
    Result result = c::timeout;
    while (result == c::timeout) {
        result = api_.vkWaitSemaphores(device_.device(), &info, second);
    }
    check(result, "vkWaitSemaphores");
    if (!reached(value)) { // A wait may succeed on a lost device.
        throw vendor_error(Code::device_lost, "vkWaitSemaphores", c::lost);
    }
}

void Stream::wait(std::uint64_t value, WaitPolicy policy) {
    submit_up_to(value);
    const bool on_processor = device_.info().kind == DeviceKind::cpu; // It needs the processor's time.
    const bool blocks = policy == WaitPolicy::block || (policy == WaitPolicy::automatic && on_processor);
    if (!reached(value) && (blocks || !backend::poll(policy, forecast_, [&] { return reached(value); }))) {
        block(value);
    }
    device_.host_reads().drain();
}

void Stream::finish(WaitPolicy policy) {
    std::uint64_t last = 0;
    {
        const std::lock_guard lock(mutex_);
        submit();
        last = submitted_.load(std::memory_order_relaxed);
    }
    wait(last, policy);
}

bool Stream::idle() {
    std::uint64_t last = 0;
    {
        const std::lock_guard lock(mutex_);
        submit();
        last = submitted_.load(std::memory_order_relaxed);
    }
    if (!reached(last)) {
        return false;
    }
    device_.host_reads().drain();
    return true;
}

} // namespace ferry::vulkan
