// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::detail {

class DeviceState;
class QueueInterface;

/// The progress of a queue, in numbers of its commands. Lives until the process ends. When its queue is
/// destroyed, a later queue takes it over and its numbers continue, so notes about the old queue stay valid.
class Timeline {
public:
    /// For a new queue.
    static Timeline& acquire();
    /// Called by the queue: `last` is its last command, and all are done.
    void release(std::uint64_t last) noexcept;
    /// The same if the commands cannot be proved done: no other queue gets the timeline.
    void retire(std::uint64_t last) noexcept;

    /// Its present queue, and the queue's device. Set once the queue can be shared.
    void attach(std::weak_ptr<QueueInterface> queue, DeviceState& device) noexcept;

    /// The first command of a new queue gets the next number. Relaxed, because acquire() took the timeline
    /// under the mutex under which the previous queue had returned it.
    std::uint64_t base() const noexcept { return reached_.load(std::memory_order_relaxed); }
    bool has_reached(std::uint64_t number) const noexcept {
        return reached_.load(std::memory_order_acquire) >= number;
    }
    /// All commands up to this one are done.
    void reach(std::uint64_t number) noexcept;

    /// The driver does not report whether the commands up to this one are done. Their memory is kept until
    /// reach() confirms it.
    void abandon(std::uint64_t number) noexcept;
    bool is_abandoned(std::uint64_t number) const noexcept {
        return !has_reached(number) && abandoned_.load(std::memory_order_acquire) >= number;
    }
    bool has_abandoned() const noexcept { return is_abandoned(abandoned_.load(std::memory_order_acquire)); }

    /// Queries the queue's progress without waiting. Locks the queue.
    void poll() noexcept;
    /// Blocks until the command is done, with or without an error, or the process ends. Locks the queue.
    /// Returns false if it is abandoned, and its memory must be kept.
    [[nodiscard]] bool wait(std::uint64_t number) noexcept;

    // Tasks of the backlog, numbered from 1. Called by the queue, under its mutex.
    void hold_back() noexcept { ++held_back_; }
    std::uint64_t last_held_back() const noexcept { return held_back_; }
    void carried_out() noexcept { carried_out_.fetch_add(1, std::memory_order_release); }
    /// Blocks until this task has run, or the process ends. Returns at once on the backlog's own thread.
    void wait_for_task(std::uint64_t task) noexcept;
    /// `number`, or, on the backlog's own thread, the last command before the running task if that is less.
    std::uint64_t last_to_wait_for(std::uint64_t number) const noexcept;

    std::shared_ptr<QueueInterface> queue() const noexcept;
    bool is_of(const DeviceState& device) const noexcept;

private:
    Timeline() = default;

    std::atomic<std::uint64_t> reached_{0};
    std::atomic<std::uint64_t> abandoned_{0};
    std::uint64_t held_back_ = 0;
    std::atomic<std::uint64_t> carried_out_{0};
    /// Relaxed: only compared. A mark that is not reached belongs to the present device.
    std::atomic<const DeviceState*> device_{nullptr};
    mutable std::mutex mutex_; // Protects queue_.
    std::weak_ptr<QueueInterface> queue_;
};

/// A command of a queue.
struct Mark {
    Timeline* timeline = nullptr;
    std::uint64_t number = 0;

    bool is_reached() const noexcept { return timeline->has_reached(number); }
    bool is_abandoned() const noexcept { return timeline->is_abandoned(number); }
};
using Marks = std::vector<Mark>;

/// Adds a mark, or advances the mark of this queue.
void add_mark(Marks& marks, const Mark& mark);
void drop_reached(Marks& marks) noexcept;
/// Returns false if the commands of a mark are abandoned.
[[nodiscard]] bool wait_for(const Marks& marks) noexcept;
bool has_abandoned(const Marks& marks) noexcept;
/// Whether a command of this queue may follow all marked ones without a wait. Null: of no queue.
bool is_clear_for(const Marks& marks, const Timeline* timeline) noexcept;

} // namespace ferry::detail
