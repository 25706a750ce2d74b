// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check/clock.hpp"

#include <ferry/source_location.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ferry::detail::race {

/// The operation in words: "launch of kernel 'scale'".
struct Operation {
    std::string what;
    Actor actor = host;
    std::string by; ///< "queue #2 of host:0", or "the host".
    SourceLocation where;
};

/// One operation of an actor, with its number.
struct Stamp {
    std::uint64_t count = 0; ///< 0: none.
    std::shared_ptr<const Operation> operation;

    /// Whether it comes before all operations with this clock.
    bool before(const Clock& clock) const noexcept {
        return count == 0 || count <= clock.of(operation->actor);
    }
};

/// The last write and the last reads of each byte of one address space.
class Shadow {
public:
    struct Conflict {
        Stamp other;
        bool other_writes = false;
        std::size_t begin = 0, end = 0; ///< Of the overlap, in addresses.
    };

    /// The first byte of the range that has a conflict with `clock`, if there is one.
    std::optional<Conflict> find(std::size_t begin, std::size_t end, bool writes, const Clock& clock) const;
    void add(std::size_t begin, std::size_t end, bool writes, const Stamp& stamp, const Clock& clock);
    /// Forgets a range.
    void erase(std::size_t begin, std::size_t end);
    /// Forgets operations that all later ones are ordered after.
    void prune(const Clock& known);

    std::size_t size() const noexcept { return parts_.size(); }

private:
    struct Part {
        std::size_t end = 0;
        Stamp write;
        std::vector<Stamp> reads; ///< Since that write, the last one of each actor.
    };
    using Parts = std::map<std::size_t, Part>; ///< By their beginning; they do not overlap.
    void split(std::size_t at);
    Parts::const_iterator first_touching(std::size_t begin) const;

    Parts parts_;
};

} // namespace ferry::detail::race
