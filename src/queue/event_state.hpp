// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/clock.hpp"
#include "hal/backend.hpp"

#include <ferry/error.hpp>
#include <ferry/event.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace ferry::detail {

class DeviceState;
class QueueState;

/// One recorded event. It stays with its queue, which uses it again once its last reference is released. The
/// members used by recording and waiting are in one cache line.
class alignas(64) EventState {
public:
    EventState(std::shared_ptr<QueueState> queue, std::unique_ptr<backend::Event> native, bool timing);

    /// held: its place in the queue has not been reached yet, because host work before it is pending.
    enum class Phase : std::uint8_t { fresh, held, recorded, done, failed };

    /// For the queue that records it, under its mutex.
    void hold() noexcept;
    void recorded(std::uint64_t sequence) noexcept {
        sequence_ = sequence;
        // Relaxed: only this queue sets Phase::held, under the mutex that it holds here.
        const bool was_held = phase_.load(std::memory_order_relaxed) == Phase::held;
        phase_.store(Phase::recorded, std::memory_order_release);
        if (was_held) [[unlikely]] {
            phase_.notify_all();
        }
    }
    void fail(const Error& error);
    /// Under the mutex of its queue: marks it as failed, whatever the device reports for the work before it.
    void set_failure(const Error& error);
    /// Whether it ends with a failure that the device does not know. Any thread may call it.
    bool has_failure() const noexcept { return has_failure_.load(std::memory_order_acquire); }

    Phase phase() const noexcept { return phase_.load(std::memory_order_acquire); }
    /// Blocks until its place in the queue has been reached, and submits it to the device. Throws the error.
    void wait_until_recorded();
    void check_process(const SourceLocation& where) const; ///< A child process has none of its parent's
                                                           ///< events.
    bool ready();                                          ///< Complete, with or without an error.
    void wait();                                           ///< Throws the error.
    void wait_on_serial_thread(); ///< Like wait(), but can be aborted at process exit (SerialThread::Ending).
    std::optional<Error> error() const;

    DeviceState& device() const noexcept;
    backend::Event& native() noexcept { return *native_; }
    bool timing() const noexcept { return timing_; }
    QueueState& queue() const noexcept { return *queue_; }

    /// Relaxed, because the caller has a reference already.
    void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
    /// Once the count is zero, the queue may use the event again.
    void release() noexcept {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == (without_queue | 1)) [[unlikely]] {
            end();
        }
    }

    /// For its queue, under its mutex. Resets it to a new event with one reference if it has no other.
    /// Otherwise returns false.
    bool take() noexcept {
        if (references_.load(std::memory_order_acquire) != 0) {
            return false;
        }
        // Relaxed from here on: no other thread has it, and the load has acquired the writes of the last one.
        references_.store(1, std::memory_order_relaxed);
        if (phase_.load(std::memory_order_relaxed) == Phase::failed || has_failure()) [[unlikely]] {
            error_.reset();
            has_failure_.store(false, std::memory_order_relaxed); // No other thread has the event.
        }
        phase_.store(Phase::fresh, std::memory_order_relaxed);
        return true;
    }
    /// For its queue: the last command before its last recording.
    std::uint64_t sequence() const noexcept { return sequence_; }
    /// The queue will not use it again, and the last reference deletes it. Returns true if there is none.
    bool leave_queue() noexcept;

private:
    void end() noexcept;
    void complete();
    void failed(const Error& native_error);
    void end_as(const std::optional<Error>& reported);

    static constexpr std::uint32_t without_queue = std::uint32_t{1} << 31; ///< In references_.

    std::atomic<std::uint32_t> references_{1};
    std::atomic<Phase> phase_{Phase::fresh};
    const bool timing_;
    std::atomic<bool> has_failure_{false}; ///< error_ is its final result.
    std::uint64_t sequence_ = 0;
    std::unique_ptr<backend::Event> native_;
    // Kept without references, too: the queue releases its events when it is closed.
    const std::shared_ptr<QueueState> queue_;

public:
    EventState* next = nullptr;               ///< In the ring of its queue.
    std::shared_ptr<const race::Clock> order; ///< The operations before it, if its queue is checked for
                                              ///< races.

private:
    mutable std::mutex mutex_; // Protects the rest.
    std::optional<Error> error_;
};

/// A counted reference.
class EventRef {
public:
    EventRef() noexcept = default;
    explicit EventRef(EventState* adopted) noexcept : event_(adopted) {}
    EventRef(const EventRef& other) noexcept : event_(other.event_) {
        if (event_ != nullptr) {
            event_->retain();
        }
    }
    EventRef(EventRef&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    EventRef& operator=(EventRef other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    ~EventRef() {
        if (event_ != nullptr) {
            event_->release();
        }
    }
    static EventRef share(EventState* event) noexcept {
        event->retain();
        return EventRef(event);
    }
    void swap(EventRef& other) noexcept { std::swap(event_, other.event_); }
    EventState* operator->() const noexcept { return event_; }
    EventState* get() const noexcept { return event_; }
    EventState* leave() noexcept { return std::exchange(event_, nullptr); }
    explicit operator bool() const noexcept { return event_ != nullptr; }

private:
    EventState* event_ = nullptr;
};

} // namespace ferry::detail
