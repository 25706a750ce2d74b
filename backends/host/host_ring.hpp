// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_command.hpp"
#include "host_progress.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace ferry::host {

/// The unfinished commands of a queue, in a ring of memory with one writer at a time and one reader. Nothing
/// is allocated for a command. If the ring is full, the writer blocks until the reader has made room.
class Ring {
public:
    /// Writer: creates a command of this type, with `room` bytes after it.
    template <class C, class... Args>
    void push(std::size_t room, Args&&... args) {
        const auto units = static_cast<Ticket>((sizeof(C) + room + sizeof(Unit) - 1) / sizeof(Unit));
        const Ticket to_end = capacity - pushed_.now() % capacity;
        if (to_end < units) {
            place<Padding>(to_end);
        }
        place<C>(units, std::forward<Args>(args)...);
    }

    /// The position after the newest command.
    Ticket pushed() const noexcept { return pushed_.now(); }
    bool is_done(Ticket place) const noexcept { return done_.reached(place); }
    /// Blocks until everything before this position is done.
    void await(Ticket place, WaitPolicy policy = WaitPolicy::automatic) { done_.await(place, policy); }

    /// Reader: the oldest command. Blocks until there is one.
    Command& front() {
        pushed_.await(done_.now() + 1);
        return *oldest();
    }
    /// Reader: the position after the oldest command.
    Ticket front_end() noexcept { return done_.now() + oldest()->units; }
    /// Reader: the oldest command is done. It is destroyed first, so that waiting threads find its memory
    /// free.
    void pop() noexcept {
        const Ticket end = front_end();
        std::destroy_at(oldest());
        done_.advance(end);
    }

private:
    struct alignas(64) Unit {
        std::array<std::byte, 64> bytes;
    };
    static constexpr Ticket capacity = 4096; // 256 KiB, more than a thousand launches. Divides 2^32.

    /// Fills the end of the ring if the next command would wrap around.
    struct Padding final : Command {
        void run() override {}
    };

    template <class C, class... Args>
    void place(Ticket units, Args&&... args) {
        static_assert(alignof(C) <= alignof(Unit));
        const Ticket at = pushed_.now();
        const Ticket room_at = at + units - capacity;
        if (!done_.reached(room_at)) {
            done_.await(room_at + capacity / 4); // Not for every single command again.
        }
        Command* const command = new (&units_[at % capacity]) C(std::forward<Args>(args)...);
        command->units = units;
        pushed_.advance(at + units);
    }
    Command* oldest() noexcept {
        return std::launder(reinterpret_cast<Command*>(&units_[done_.now() % capacity]));
    }

    std::unique_ptr<Unit[]> units_ = std::make_unique_for_overwrite<Unit[]>(capacity);
    alignas(64) Progress pushed_; // The writer's.
    alignas(64) Progress done_;   // The reader's.
};

} // namespace ferry::host
