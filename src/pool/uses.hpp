// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pool/timeline.hpp"

#include <atomic>
#include <cstdint>

namespace ferry::detail {

/// Which queues use an allocation, each until which of its commands. A queue is admitted once; noting a
/// command is then a load, a compare and a store for a buffer that one queue uses.
class Uses {
public:
    Uses() = default;
    Uses(const Uses&) = delete;
    Uses& operator=(const Uses&) = delete;
    ~Uses();

    /// What an admitted queue notes its commands in. The numbers are relaxed: the program orders a command
    /// before the end of its buffer, and tasks of a backlog are acquired by wait_for_task().
    struct Slot {
        std::atomic<Timeline*> timeline{nullptr};
        std::atomic<std::uint64_t> number{0};
        std::atomic<std::uint64_t> held_back{0}; ///< the last task of its backlog that will note a command
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
    /// By the queue, with its mutex held, once it has been admitted.
    void note(Timeline& timeline, std::uint64_t number) noexcept {
        if (Slot* const slot = find(timeline)) {
            slot->number.store(number, std::memory_order_relaxed);
        }
    }
    /// The same for a command that waits in the queue's backlog, by the number of its task.
    void hold_back(Timeline& timeline, std::uint64_t task) noexcept {
        if (Slot* const slot = find(timeline)) {
            slot->held_back.store(task, std::memory_order_relaxed);
        }
    }
    bool has(const Timeline& timeline) const noexcept {
        return const_cast<Uses*>(this)->find(timeline) != nullptr;
    }

    // The rest is for one thread at a time, so it reads relaxed what it or the thread before has stored.
    void admit(Timeline& timeline);
    bool empty() const noexcept { return first_.timeline.load(std::memory_order_relaxed) == nullptr; }
    /// Adds what is not known to be done.
    void add_to(Marks& marks) const;
    /// Blocks until all of them are done. False: one is abandoned, see Timeline.
    [[nodiscard]] bool wait_for_all() const noexcept;
    /// The same, and for those that are held back in a backlog. By any thread: on a backlog's own, which
    /// would wait for itself, for what that queue has handed to the driver. Queues may be admitted meanwhile.
    void wait_for_held_back() const noexcept;
    /// The same for all but one device's queues.
    [[nodiscard]] bool wait_for_all_but(const DeviceState& device) const noexcept;

private:
    Slot first_;
};

} // namespace ferry::detail
