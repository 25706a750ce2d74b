// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::detail {

class DeviceState;
class QueueState;

/// How far a queue has come, in numbers of its commands. Lives until the process ends: when its queue is
/// gone, a later queue takes it over and its numbers continue, so that what was noted about the old queue
/// stays true.
class Timeline {
public:
    /// For a queue that begins.
    static Timeline& acquire();
    /// By the queue: `last` is its last command, and all are done.
    void release(std::uint64_t last) noexcept;
    /// The same for a queue whose commands nothing proves to be done: no other queue gets the timeline.
    void retire(std::uint64_t last) noexcept;

    /// The queue that it belongs to now, and its device. Set once the queue can be shared.
    void attach(std::weak_ptr<QueueState> queue, DeviceState& device) noexcept;

    /// The number that the first command of a new queue follows.
    /// Relaxed: acquire() took the timeline with a mutex, after the queue before had put it back with it.
    std::uint64_t base() const noexcept { return reached_.load(std::memory_order_relaxed); }
    bool has_reached(std::uint64_t number) const noexcept {
        return reached_.load(std::memory_order_acquire) >= number;
    }
    /// All commands up to that one are done.
    void reach(std::uint64_t number) noexcept;

    /// The driver refuses to say whether the commands up to that one are done. What they use is kept until
    /// reach() says so after all.
    void abandon(std::uint64_t number) noexcept;
    bool is_abandoned(std::uint64_t number) const noexcept {
        return !has_reached(number) && abandoned_.load(std::memory_order_acquire) >= number;
    }
    bool has_abandoned() const noexcept { return is_abandoned(abandoned_.load(std::memory_order_acquire)); }

    /// Asks the queue how far it is, without waiting for it. Locks the queue.
    void poll() noexcept;
    /// Blocks until the command is done, well or not, or the process ends. Locks the queue. False: it is
    /// abandoned, and its memory must be kept.
    [[nodiscard]] bool wait(std::uint64_t number) noexcept;

    // Tasks of the backlog, numbered from 1 on. By the queue, with its mutex held.
    void hold_back() noexcept { ++held_back_; }
    std::uint64_t last_held_back() const noexcept { return held_back_; }
    void carried_out() noexcept { carried_out_.fetch_add(1, std::memory_order_release); }
    /// Blocks until that task has run, or the process ends; not on the backlog's own thread.
    void wait_for_task(std::uint64_t task) noexcept;
    /// `number`, or, on the backlog's own thread, the last command before the task that runs if that is less.
    std::uint64_t last_to_wait_for(std::uint64_t number) const noexcept;

    std::shared_ptr<QueueState> queue() const noexcept;
    bool is_of(const DeviceState& device) const noexcept;

private:
    Timeline() = default;

    std::atomic<std::uint64_t> reached_{0};
    std::atomic<std::uint64_t> abandoned_{0};
    std::uint64_t held_back_ = 0;
    std::atomic<std::uint64_t> carried_out_{0};
    /// Relaxed: compared, not followed; a mark that is not reached is of the device that is set.
    std::atomic<const DeviceState*> device_{nullptr};
    mutable std::mutex mutex_; // queue_
    std::weak_ptr<QueueState> queue_;
};

/// A command of a queue.
struct Mark {
    Timeline* timeline = nullptr;
    std::uint64_t number = 0;

    bool is_reached() const noexcept { return timeline->has_reached(number); }
    bool is_abandoned() const noexcept { return timeline->is_abandoned(number); }
};
using Marks = std::vector<Mark>;

/// Adds a mark, or moves the one of that queue on.
void add_mark(Marks& marks, const Mark& mark);
void drop_reached(Marks& marks) noexcept;
/// False: the commands of a mark are abandoned.
[[nodiscard]] bool wait_for(const Marks& marks) noexcept;
bool has_abandoned(const Marks& marks) noexcept;
/// Whether a command of that queue may follow all marked ones without a wait. Null: of no queue.
bool is_clear_for(const Marks& marks, const Timeline* timeline) noexcept;

} // namespace ferry::detail
