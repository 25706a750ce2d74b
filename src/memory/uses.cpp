// SPDX-License-Identifier: Apache-2.0
#include "memory/uses.hpp"

#include <utility>

namespace ferry::detail {

Uses::~Uses() {
    Slot* slot = first_.next.load(std::memory_order_relaxed);
    while (slot != nullptr) {
        delete std::exchange(slot, slot->next.load(std::memory_order_relaxed));
    }
}

void Uses::admit(Timeline& timeline) {
    if (empty()) {
        first_.timeline.store(&timeline, std::memory_order_release);
        return;
    }
    Slot* const slot = new Slot;
    slot->timeline.store(&timeline, std::memory_order_relaxed);
    slot->next.store(first_.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first_.next.store(slot, std::memory_order_release);
}

void Uses::add_to(Marks& marks) const {
    for (const Slot* slot = &first_; slot != nullptr; slot = slot->next.load(std::memory_order_relaxed)) {
        const Mark mark{slot->timeline.load(std::memory_order_relaxed),
                        slot->number.load(std::memory_order_relaxed)};
        if (mark.timeline != nullptr && !mark.is_reached()) {
            add_mark(marks, mark);
        }
    }
}

bool Uses::wait_for_all() const noexcept {
    bool done = true;
    for (const Slot* slot = &first_; slot != nullptr; slot = slot->next.load(std::memory_order_relaxed)) {
        if (Timeline* const timeline = slot->timeline.load(std::memory_order_relaxed)) {
            done = timeline->wait(slot->number.load(std::memory_order_relaxed)) && done;
        }
    }
    return done;
}

void Uses::wait_for_held_back() const noexcept {
    for (const Slot* slot = &first_; slot != nullptr; slot = slot->next.load(std::memory_order_acquire)) {
        if (Timeline* const timeline = slot->timeline.load(std::memory_order_acquire)) {
            timeline->wait_for_task(slot->held_back.load(std::memory_order_relaxed));
            // The commands that the task has noted.
            const std::uint64_t last =
                timeline->last_to_wait_for(slot->number.load(std::memory_order_relaxed));
            static_cast<void>(timeline->wait(last)); // The end of the memory checks again.
        }
    }
}

bool Uses::wait_for_all_but(const DeviceState& device) const noexcept {
    bool done = true;
    for (const Slot* slot = &first_; slot != nullptr; slot = slot->next.load(std::memory_order_relaxed)) {
        Timeline* const timeline = slot->timeline.load(std::memory_order_relaxed);
        if (timeline != nullptr && !timeline->is_of(device)) {
            done = timeline->wait(slot->number.load(std::memory_order_relaxed)) && done;
        }
    }
    return done;
}

} // namespace ferry::detail
