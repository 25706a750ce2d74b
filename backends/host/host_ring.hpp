// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_command.hpp"
#include "host_thread.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace ferry::host {

/// The commands of a queue that are not done, in a ring of memory with one writer at a time and one reader.
/// Nothing is allocated for a command. A full ring blocks the writer until the reader has made room.
class Ring {
public:
    /// A place in the order of all commands. It counts units of the ring and wraps: compare with before().
    using Ticket = std::uint32_t;
    static bool before(Ticket a, Ticket b) noexcept { return static_cast<std::int32_t>(a - b) < 0; }

    /// Writer: makes a command of that type, with `room` bytes behind it.
    template <class C, class... Args>
    void push(std::size_t room, Args&&... args) {
        const auto units = static_cast<Ticket>((sizeof(C) + room + sizeof(Unit) - 1) / sizeof(Unit));
        const Ticket to_end = capacity - pushed_.load(std::memory_order_relaxed) % capacity;
        if (to_end < units) {
            place<Padding>(to_end);
        }
        place<C>(units, std::forward<Args>(args)...);
    }
    /// The place behind the newest command.
    Ticket pushed() const noexcept { return pushed_.load(); }

    bool is_done(Ticket ticket) const noexcept { return !before(done_.load(), ticket); }
    /// Blocks until everything before that place is done.
    void await(Ticket ticket) const {
        for (Ticket done = done_.load(); before(done, ticket); done = done_.load()) {
            await_change(done_, done);
        }
    }

    /// Reader: the oldest command; blocks until there is one.
    Command& front() {
        const Ticket done = done_.load(std::memory_order_relaxed);
        await_change(pushed_, done);
        return *oldest();
    }
    /// Reader: the place behind the oldest command.
    Ticket front_end() noexcept { return done_.load(std::memory_order_relaxed) + oldest()->units; }
    /// Reader: the oldest command is done. It is destroyed first, so that who waited finds its memory free.
    void pop() {
        const Ticket end = front_end();
        std::destroy_at(oldest());
        done_.store(end);
        done_.notify_all();
    }

private:
    struct alignas(64) Unit {
        std::array<std::byte, 64> bytes;
    };
    static constexpr Ticket capacity = 4096; // 256 KiB, more than a thousand launches; divides 2^32

    /// Fills the end of the ring where the next command would have to go around it.
    struct Padding final : Command {
        void run() override {}
    };

    template <class C, class... Args>
    void place(Ticket units, Args&&... args) {
        static_assert(alignof(C) <= alignof(Unit));
        const Ticket at = pushed_.load(std::memory_order_relaxed);
        await(at + units - capacity);
        Command* const command = new (&units_[at % capacity]) C(std::forward<Args>(args)...);
        command->units = units;
        pushed_.store(at + units);
        pushed_.notify_all();
    }
    Command* oldest() noexcept {
        return std::launder(
            reinterpret_cast<Command*>(&units_[done_.load(std::memory_order_relaxed) % capacity]));
    }

    std::unique_ptr<Unit[]> units_ = std::make_unique_for_overwrite<Unit[]>(capacity);
    alignas(64) std::atomic<Ticket> pushed_{0}; // written by the writer
    alignas(64) std::atomic<Ticket> done_{0};   // written by the reader
};

} // namespace ferry::host
