// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "host_failure.hpp"
#include "host_progress.hpp"
#include "host_reference.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ferry::host {

/// For each queue of the strict device, the number of a command.
using CommandNumbers = std::vector<std::uint64_t>;

/// One recording of an event: a point in one queue's work. The event refers to its last recording, and
/// waiting commands refer to the recording they were given, so recording the event again does not disturb
/// them.
class Recording {
public:
    using Clock = std::chrono::steady_clock;

    /// A recording that is not reached yet. Allocates only if all existing ones are in use.
    static Reference<Recording> make();
    /// The commands before it, on the strict device.
    const CommandNumbers& order() const noexcept { return order_; }
    void set_order(CommandNumbers order) noexcept { order_ = std::move(order); }

    /// Called once, by the queue that reaches it, with the pending error of that queue, if any.
    void reach(const std::optional<CommandError>& error) noexcept;
    bool reached() const noexcept { return progress_.reached(1); }
    /// Blocks until reached. Throws the error.
    void wait(WaitPolicy policy); ///< Throws the error.
    void await(WaitPolicy policy) noexcept;
    /// Call only after it is reached. Throws the error.
    void check() const;
    /// The same error, or none.
    const std::optional<CommandError>& error() const noexcept { return error_; }
    Clock::time_point time() const noexcept { return time_; } ///< Valid after it is reached.

    /// Relaxed, because a caller of retain() already has a reference. The last release() acquires the writes
    /// of all others.
    void retain() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept;

private:
    std::atomic<std::uint32_t> owners_{1};
    Progress progress_; // 1: reached.
    Clock::time_point time_;
    std::optional<CommandError> error_;
    CommandNumbers order_;
    Recording* next_free_ = nullptr;
};

class HostEvent final : public backend::Event {
public:
    explicit HostEvent(bool timing) noexcept : timing_(timing) {}

    bool ready() override;
    using backend::Event::wait;
    void wait(WaitPolicy policy) override;
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override;

    /// Starts a new recording, which the queue will reach.
    Reference<Recording> record(CommandNumbers order = {});
    /// Null before the first record().
    Reference<Recording> last() const;

private:
    const bool timing_;
    mutable std::mutex mutex_;
    Reference<Recording> last_; // Protected by the mutex.
};

} // namespace ferry::host
