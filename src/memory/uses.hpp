// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/timeline.hpp"

#include <atomic>
#include <cstdint>

namespace ferry::detail {

/// The queues that use an allocation, each with the number of its last command. A queue is admitted once.
/// Noting a command is then a load, a compare and a store for a buffer that one queue uses.
class Uses {
public:
    Uses() = default;
    Uses(const Uses&) = delete;
    Uses& operator=(const Uses&) = delete;
    ~Uses();

    /// The entry in which an admitted queue notes its commands. The numbers are relaxed, because the program
    /// orders a command before the end of its buffer, and wait_for_task() acquires tasks of a backlog.
    struct Slot {
        std::atomic<Timeline*> timeline{nullptr};
        std::atomic<std::uint64_t> number{0};
        std::atomic<std::uint64_t> held_back{0}; ///< The last task of its backlog that will note a command.
        std::atomic<Slot*> next{nullptr};
    };
    /// Null if the queue has not been admitted.
    Slot* find(const Timeline& timeline) noexcept {
        for (Slot* slot = &first_; slot != nullptr; slot = slot->next.load(std::memory_order_acquire)) {
            if (slot->timeline.load(std::memory_order_acquire) == &timeline) {
                return slot;
            }
        }
        return nullptr;
    }
    /// Called by the queue, under its mutex, after it has been admitted.
    void note(Timeline& timeline, std::uint64_t number) noexcept {
        if (Slot* const slot = find(timeline)) {
            slot->number.store(number, std::memory_order_relaxed);
        }
    }
    /// The same for a command in the queue's backlog, by the number of its task.
    void hold_back(Timeline& timeline, std::uint64_t task) noexcept {
        if (Slot* const slot = find(timeline)) {
            slot->held_back.store(task, std::memory_order_relaxed);
        }
    }
    bool has(const Timeline& timeline) const noexcept {
        return const_cast<Uses*>(this)->find(timeline) != nullptr;
    }

    // The remaining functions are for one thread at a time. Its reads of values that it or the previous
    // thread stored are relaxed.
    void admit(Timeline& timeline);
    bool empty() const noexcept { return first_.timeline.load(std::memory_order_relaxed) == nullptr; }
    /// Adds the commands that are not known to be done.
    void add_to(Marks& marks) const;
    /// Blocks until all of them are done. Returns false if one is abandoned, see Timeline.
    [[nodiscard]] bool wait_for_all() const noexcept;
    /// The same, including commands held back in a backlog. Any thread may call it. On a backlog's own
    /// thread, which would wait for itself, it waits for the commands that this queue has submitted to the
    /// driver. Queues may be admitted meanwhile.
    void wait_for_held_back() const noexcept;
    /// The same for all but one device's queues.
    [[nodiscard]] bool wait_for_all_but(const DeviceState& device) const noexcept;

private:
    Slot first_;
};

} // namespace ferry::detail
