// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "race/shadow.hpp"

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

/// A range that an operation reads or writes: of a buffer, or (null memory) of ordinary host memory.
struct Access {
    Region region;
    const void* address = nullptr; ///< without a memory
    std::size_t bytes = 0;         ///< the same
    bool writes = false;
};

/// Finds accesses that nothing orders after those they conflict with (docs/design/races.md). One for the
/// process, with one lock: it is for finding errors, not for speed.
class Checker {
public:
    static Checker& get();

    /// A view of an older buffer is not known as one. Some 600 bytes for each.
    static constexpr std::size_t most_destroyed = 100'000;

    Actor add_queue(const std::string& device);
    void remove_queue(Actor queue);

    /// Throws Error (invalid_state) if a buffer that was destroyed is among the accesses. Before anything
    /// looks into its Memory.
    void check_alive(const std::string& what, const Region& region, SourceLocation where) const;
    /// An operation of a queue, about to be enqueued, or of the host (`actor` is host), about to happen.
    /// Throws Error (invalid_state), and notes nothing, if one of its accesses is a race.
    void access(Actor actor, std::string what, std::span<const Access> accesses, SourceLocation where);
    /// The part of access() that has to do with shares.
    static void check_beside_shares(const std::string& what, const Access& access, SourceLocation where);

    // What orders operations.
    std::shared_ptr<const Clock> record(Actor queue);
    void wait(Actor queue, const Clock& event);
    void host_waits(const Clock& event);
    void host_waits(Actor queue);

    // What the program does by the vendor's own calls may order operations too (docs/design/races.md).
    /// The queue waits for an event that is not Ferry's.
    void wait_unseen(Actor queue);
    /// The program has the native handle of the queue, for as long as the queue lives.
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
        std::weak_ptr<const Memory> keeps_address; ///< no other Memory is made there
    };
    struct Place {
        const void* space; ///< a Memory that the host cannot reach, or null: all that it can
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

    mutable std::mutex mutex_; // all that follows
    std::vector<Clock> clocks_{1};
    std::vector<std::string> names_{"the host"};
    /// Of a queue: which of its operations was the last wait for work that Ferry did not see; 0 if none.
    std::vector<std::uint64_t> unseen_{0};
    std::vector<bool> exposed_{false};
    std::vector<Actor> free_;
    std::size_t queues_ = 0;
    std::unordered_map<const void*, Shadow> spaces_;
    std::unordered_map<const Memory*, Made> memories_; ///< with the last `most_destroyed` that are gone
    std::deque<const Memory*> destroyed_;
    std::size_t prune_at_ = 1024;
};

} // namespace ferry::detail::race
