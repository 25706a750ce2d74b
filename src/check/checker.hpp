// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/shadow.hpp"

#include <ferry/error.hpp>
#include <ferry/view.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ferry::detail {
class Memory;
}

namespace ferry::detail::race {

/// A range that an operation reads or writes: of a buffer, or (null memory) of host memory.
struct Access {
    Region region;
    const void* address = nullptr; ///< Without a memory.
    std::size_t bytes = 0;         ///< The same.
    bool writes = false;
};

/// Detects accesses that are not ordered after conflicting ones (docs/design/races.md). One object for the
/// process, with one lock, because it is for debugging.
class Checker {
public:
    static Checker& get();

    /// Views of older destroyed buffers are not recognised. Each entry takes some 600 bytes.
    static constexpr std::size_t most_destroyed = 100'000;

    Actor add_queue(const std::string& device);
    void remove_queue(Actor queue);

    /// Throws Error (invalid_state) if one of the accesses is to a destroyed buffer. Called before any use of
    /// its Memory.
    void check_alive(const std::string& what, const Region& region, SourceLocation where) const;
    /// An operation of a queue that is about to be enqueued, or of the host (`actor` is host) that is about
    /// to happen. Throws Error (invalid_state), and notes nothing, if one of its accesses is a race.
    void access(Actor actor, std::string what, std::span<const Access> accesses, SourceLocation where);
    /// The part of access() that concerns shares.
    static void check_direct_use(const std::string& what, const Access& access, SourceLocation where);

    // The operations that create an order.
    std::shared_ptr<const Clock> record(Actor queue);
    void wait(Actor queue, const Clock& event);
    void host_waits(const Clock& event);
    void host_waits(Actor queue);

    // Vendor calls by the program may also order operations (docs/design/races.md).
    /// The queue waits for an event of another library.
    void wait_unseen(Actor queue);
    /// The program has the native handle of the queue, for the life of the queue.
    void expose(Actor queue);

    void made(const Memory& memory, SourceLocation where);
    void destroyed(const Memory& memory);

private:
    struct Made {
        std::size_t bytes;
        std::string kind;
        std::string device;
        SourceLocation where;
        bool alive;
        std::weak_ptr<const Memory> keeps_address; ///< Prevents another Memory at this address.
    };
    struct Place {
        const void* space; ///< A Memory that the host cannot access, or null: all memory that it can.
        std::size_t begin, end;
    };
    static Place place_of(const Access& access);
    Clock& clock_of(Actor actor) { return clocks_[actor]; }
    std::string describe(const Region& region) const;
    Error race(const Operation& now, const Access& access, const Place& place,
               const Shadow::Conflict& conflict) const;
    void host_knows(const Clock& event);
    void join_all(Clock& clock) const;
    void after_unseen(Actor queue);

    mutable std::mutex mutex_; // Protects all members below.
    std::vector<Clock> clocks_{1};
    std::vector<std::string> names_{"the host"};
    /// For each queue, the number of its last wait for work that Ferry did not see. 0 if there is none.
    std::vector<std::uint64_t> unseen_{0};
    std::vector<bool> exposed_{false};
    std::vector<Actor> free_;
    std::size_t queues_ = 0;
    std::unordered_map<const void*, Shadow> spaces_;
    std::unordered_map<const Memory*, Made> memories_; ///< Including the last `most_destroyed` destroyed
                                                       ///< ones.
    std::deque<const Memory*> destroyed_;
    std::size_t prune_at_ = 1024;
};

} // namespace ferry::detail::race
