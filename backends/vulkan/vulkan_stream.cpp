// SPDX-License-Identifier: Apache-2.0
#include "vulkan_stream.hpp"

#include "hal/poll.hpp"
#include "vulkan_kernel.hpp"
#include "vulkan_memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace ferry::vulkan {
namespace {

namespace c = constant;

} // namespace

Stream::Stream(VulkanDevice& device, NativeQueue& native)
    : device_(device), api_(device.api()), native_(native), staging_(device) {
    SemaphoreTypeCreateInfo type;
    type.kind = c::timeline;
    SemaphoreCreateInfo info;
    info.next = &type;
    call(api_.vkCreateSemaphore, device.device(), &info, nullptr, &semaphore_);
    made("vkCreateSemaphore", semaphore_);
    allocate_buffers();
}

void Stream::allocate_buffers() {
    CommandPoolCreateInfo pool_info;
    pool_info.flags = static_cast<std::uint32_t>(c::pool_transient | c::pool_resets_buffers);
    pool_info.family = device_.traits().family;
    CommandPool pool = nullptr;
    call(api_.vkCreateCommandPool, device_.device(), &pool_info, nullptr, &pool);
    CommandBufferAllocateInfo info;
    info.pool = made("vkCreateCommandPool", pool);
    info.count = 2 * ring_size;
    std::array<CommandBuffer, 2 * ring_size> buffers{};
    call(api_.vkAllocateCommandBuffers, device_.device(), &info, buffers.data());
    for (std::size_t i = 0; i < ring_size; ++i) {
        ring_[i].buffer = made("vkAllocateCommandBuffers", buffers[2 * i]);
        ring_[i].end = made("vkAllocateCommandBuffers", buffers[2 * i + 1]);
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
    learn(slot);
    slot.work.clear();
    measure(slot);
    CommandBufferBeginInfo info;
    info.flags = c::submit_once;
    call(api_.vkBeginCommandBuffer, slot.buffer, &info);
    if (slot.is_measured) {
        for (const Stamp& stamp : {slot.began, slot.ended}) {
            api_.vkCmdResetQueryPool.function(slot.buffer, stamp.pool, stamp.query, 1);
        }
        api_.vkCmdWriteTimestamp.function(slot.buffer, c::stage_bottom, slot.began.pool, slot.began.query);
    }
    is_open_ = true;
    commands_ = 0;
    barriers_.reset();
}

void Stream::measure(Slot& slot) {
    const bool wanted = device_.measures_submits();
    if (wanted && slot.ended.pool == nullptr) {
        slot.began = device_.stamps().lease();
        slot.ended = device_.stamps().lease();
    }
    slot.has_end = slot.has_end && slot.is_measured == wanted;
    slot.is_measured = wanted;
}

CommandBuffer Stream::begin_command(const Work& work) {
    if (!unordered_ && (commands_ >= most_commands || is_full_for(work))) {
        submit();
    }
    open();
    if (!unordered_ || commands_ == 0) { // Also at the beginning: after those of the submits before.
        barriers_.add(api_, ring_[at_].buffer, work.side);
    } else {
        barriers_.join(work.side);
    }
    add_work(work);
    ++commands_;
    return ring_[at_].buffer;
}

bool Stream::is_full_for(const Work& work) {
    if (!is_open_ || !ring_[at_].is_measured || work.pace == nullptr) {
        return false;
    }
    if (!(*work.pace)->is_known()) {
        learn_all();
    }
    return ring_[at_].work.is_full_for(**work.pace, work.size);
}

void Stream::add_work(const Work& work) {
    if (ring_[at_].is_measured && work.pace != nullptr) {
        ring_[at_].work.add(*work.pace, work.size);
    }
}

/// Before the submit, because that may find the device lost.
void Stream::begin_first_run(Slot& slot) {
    slot.first_run = slot.is_measured ? slot.work.unknown() : nullptr;
    if (slot.first_run != nullptr) {
        device_.long_kernels().begin_first_run(slot.first_run);
    }
}

void Stream::end_first_run(Slot& slot) noexcept {
    if (slot.first_run != nullptr) {
        device_.long_kernels().end_first_run(*slot.first_run);
        slot.first_run = nullptr;
    }
}

void Stream::learn(Slot& slot) {
    if (!slot.has_lesson) {
        return;
    }
    slot.has_lesson = false;
    end_first_run(slot);
    const auto time = device_.stamps().between(slot.began, slot.ended);
    if (!time || time->count() <= 0) {
        return;
    }
    const auto nanoseconds = static_cast<std::uint64_t>(time->count());
    if (const auto kernel = slot.work.learn(nanoseconds)) {
        device_.long_kernels().add(kernel->name(), nanoseconds);
    }
}

void Stream::learn_all() {
    for (Slot& slot : ring_) {
        if (slot.has_lesson && reached(slot.value)) {
            learn(slot);
        }
    }
}

bool Stream::knows(std::span<const Work> works) {
    const auto is_known = [](const Work& work) { return (*work.pace)->is_known(); };
    if (!device_.measures_submits() || std::all_of(works.begin(), works.end(), is_known)) {
        return true;
    }
    learn_all();
    return std::all_of(works.begin(), works.end(), is_known);
}

void Stream::prepare_recorded(std::span<const Work> works) {
    if (is_open_ && ring_[at_].is_measured) {
        std::uint64_t sum = ring_[at_].work.forecast();
        const bool is_first = sum == 0;
        for (const Work& work : works) {
            sum += SubmitWork::forecast_of(**work.pace, work.size);
        }
        if (!is_first && sum > SubmitWork::target) {
            submit();
        }
    }
    open();
    for (const Work& work : works) {
        add_work(work);
    }
}

void Stream::begin_unordered() {
    open();
    barriers_.add(api_, ring_[at_].buffer, device_work);
    commands_ = std::max(commands_, 1U);
    unordered_ = true;
}

std::uint64_t Stream::value() const noexcept {
    const std::uint64_t submitted = submitted_.load(std::memory_order_relaxed);
    return is_open_ || wait_count_ != 0 || owes_signal_ ? submitted + 1 : submitted;
}

void Stream::wait_for(Semaphore semaphore, std::uint64_t value) {
    if (is_open_) { // A semaphore holds up a whole submit.
        submit();
    }
    for (std::size_t i = 0; i < wait_count_; ++i) {
        if (wait_semaphores_[i] == semaphore) {
            wait_values_[i] = std::max(wait_values_[i], value);
            return;
        }
    }
    if (wait_count_ == most_waits) {
        submit();
    }
    wait_semaphores_[wait_count_] = semaphore;
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

void Stream::launch(const Launch& launch) {
    if (!launch.prints()) {
        return launch.add(device_, *this);
    }
    Prints& prints = device_.prints();
    if (const std::uint64_t free_at = prints.free_at(*this); free_at != 0) {
        submit();
        if (!reached(free_at)) {
            block(free_at);
        }
        prints.drain();
    }
    Prints::Launches leased = prints.lease();
    Prints::Launch& printing = leased.front();
    const VulkanEntry& entry = launch.kernel.entry();
    printing.stream = this;
    printing.texts = entry.print_texts();
    printing.kernel = entry.info().name;
    launch.add(device_, *this, printing.buffer->address);
    printing.value = value();
    prints.add(std::move(leased));
}

void Stream::submit() {
    submit(nullptr);
}

void Stream::submit(CommandBuffer recorded) {
    if (!is_open_ && wait_count_ == 0 && !owes_signal_) {
        return;
    }
    const std::uint64_t value = submitted_.load(std::memory_order_relaxed) + 1;
    try {
        submit_work(recorded);
    } catch (const Error& error) {
        abandon_work();
        keep_error(error, value);
        if (error.code() == Code::device_lost) {
            throw;
        }
        if (submitted_.load(std::memory_order_relaxed) < value) {
            submit_work(nullptr); // Only the waits and the signal, which the refusal did not change.
        }
    } catch (...) {
        abandon_work();
        throw;
    }
}

void Stream::keep_error(const Error& error, std::uint64_t value) {
    if (!kept_error_ || is_reported_) {
        kept_error_ = error;
        lost_value_ = value;
        is_reported_ = false;
    }
}

void Stream::end_buffer(CommandBuffer buffer, const Slot& slot) {
    add_barrier(api_, buffer, everything, host_access);
    if (slot.is_measured) {
        api_.vkCmdWriteTimestamp.function(buffer, c::stage_bottom, slot.ended.pool, slot.ended.query);
    }
    call(api_.vkEndCommandBuffer, buffer);
}

void Stream::submit_work(CommandBuffer recorded) {
    const std::uint64_t value = submitted_.load(std::memory_order_relaxed) + 1;
    Slot& slot = ring_[at_];
    if (recorded != nullptr) {
        call(api_.vkEndCommandBuffer, slot.buffer);
        if (!slot.has_end) {
            const CommandBufferBeginInfo info;
            call(api_.vkBeginCommandBuffer, slot.end, &info);
            end_buffer(slot.end, slot);
            slot.has_end = true;
        }
    } else if (is_open_) {
        end_buffer(slot.buffer, slot);
    }
    if (is_open_) {
        begin_first_run(slot);
    }
    const std::array<CommandBuffer, 3> buffers{slot.buffer, recorded, slot.end};
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
    info.buffer_count = recorded != nullptr ? 3 : is_open_ ? 1 : 0;
    info.buffers = buffers.data();
    info.signal_count = 1;
    info.signals = &semaphore_;
    {
        const std::lock_guard lock(native_.mutex);
        call(api_.vkQueueSubmit, native_.queue, 1U, &info, Fence{});
    }
    if (is_open_) {
        slot.value = value;
        slot.has_lesson = slot.is_measured;
        at_ = (at_ + 1) % ring_size;
    }
    is_open_ = false;
    commands_ = 0;
    wait_count_ = 0;
    owes_signal_ = false;
    submitted_.store(value, std::memory_order_release);
}

// The commands are lost. Their value is reached nevertheless, after all work before them.
void Stream::abandon_work() noexcept {
    const std::uint64_t before = submitted_.load(std::memory_order_relaxed);
    end_first_run(ring_[at_]);
    is_open_ = false;
    commands_ = 0;
    owes_signal_ = true;
    if (wait_count_ != 0) {
        return;
    }
    try {
        block(before);
        SemaphoreSignalInfo info;
        info.semaphore = semaphore_;
        info.value = before + 1;
        call(api_.vkSignalSemaphore, device_.device(), &info);
    } catch (...) { // The next submit signals it. If the device is lost, all later waits report that.
        return;
    }
    owes_signal_ = false;
    submitted_.store(before + 1, std::memory_order_release);
}

void Stream::add_boundary() noexcept {
    try {
        begin_command({});
    } catch (...) { // Only the barrier is missing. A submit has an order after those of the program.
        owes_signal_ = true;
    }
}

void Stream::submit_up_to(std::uint64_t value) {
    if (submitted_.load(std::memory_order_acquire) < value) {
        const std::lock_guard lock(mutex_);
        submit();
    }
}

void Stream::finish_for_other() {
    wait(submit_all(), WaitPolicy::automatic);
}

void Stream::check_lost(std::uint64_t value) {
    const std::lock_guard lock(mutex_);
    if (kept_error_ && !is_reported_ && value >= lost_value_) {
        throw Error(*kept_error_);
    }
}

bool Stream::is_lost(const Error& error) noexcept {
    const std::lock_guard lock(mutex_);
    const auto call = [](const Error& one) {
        return std::string_view(one.vendor() != nullptr ? one.vendor()->call : std::string_view());
    };
    return kept_error_ && error.code() == kept_error_->code() && call(error) == call(*kept_error_) &&
           known_.load(std::memory_order_relaxed) >= lost_value_;
}

void Stream::forget_error() noexcept {
    const std::lock_guard lock(mutex_);
    kept_error_.reset();
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
    if (result == c::lost || (result >= 0 && !reached(value))) { // A wait may succeed on a lost device.
        throw vendor_error(Code::device_lost, "vkWaitSemaphores", c::lost, device_.long_kernels().text());
    }
    check(result, "vkWaitSemaphores");
}

/// Calls the function. If the device is lost, prints the messages that it has sent.
template <class F>
auto Stream::printing_at_loss(const F& function) {
    try {
        return function();
    } catch (const Error& error) {
        if (error.code() == Code::device_lost) {
            device_.prints().drain_lost();
        }
        throw;
    }
}

void Stream::wait(std::uint64_t value, WaitPolicy policy) {
    const bool on_processor = device_.info().kind == DeviceKind::cpu; // It needs the processor's time.
    const bool blocks = policy == WaitPolicy::block || (policy == WaitPolicy::automatic && on_processor);
    printing_at_loss([&] {
        submit_up_to(value);
        if (!reached(value) &&
            (blocks || !backend::poll(policy, forecast_, [&] { return reached(value); }))) {
            block(value);
        }
    });
    device_.drain();
}

/// Submits everything, and returns the last value.
std::uint64_t Stream::submit_all() {
    const std::lock_guard lock(mutex_);
    submit();
    return submitted_.load(std::memory_order_relaxed);
}

void Stream::throw_kept_error() {
    const std::lock_guard lock(mutex_);
    if (kept_error_ && !std::exchange(is_reported_, true)) {
        throw Error(*kept_error_);
    }
}

void Stream::finish(WaitPolicy policy) {
    wait(printing_at_loss([&] { return submit_all(); }), policy);
    throw_kept_error();
}

bool Stream::idle() {
    if (!printing_at_loss([&] { return reached(submit_all()); })) {
        return false;
    }
    device_.drain();
    throw_kept_error();
    return true;
}

} // namespace ferry::vulkan
