// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rewrite.hpp"
#include "statements.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace ferry::translate {

/// The returns of a kernel that is split at barriers, and the jumps of its loops that hold barriers.
/// Work-items take them each for itself: fy_gone has a word for each, with a bit for "returned" and two for
/// each loop around, "left it" and "done with this turn"; regions skip those with a bit. Only where a barrier
/// comes that some reach and some skip is that an error.
class HostJumps {
public:
    void read(const Statements& statements);
    /// Whether there are any at all.
    bool any() const noexcept { return !returns_.empty() || !jumps_.empty(); }
    bool may_return(Range range) const;
    /// Whether the walk is where some work-items may be skipped.
    bool may_skip() const;

    /// The walk goes into a loop that holds barriers, and comes out of it.
    void enter(const Statement& loop);
    void leave();
    bool in_loop() const noexcept { return !loops_.empty(); }
    /// A word has bits for so many loops in each other.
    static constexpr std::size_t deepest = 31;
    bool is_too_deep() const noexcept { return loops_.size() > deepest && any(); }
    /// Of the innermost loop: some may leave it, and others go on.
    bool breaks() const noexcept { return loops_.back().breaks; }

    /// What becomes of those in a range that lead out of it.
    Rewriter::Replacements replaced(Range range, std::size_t region) const;
    /// C++ at the start of the kernel, before the innermost loop, behind its body, behind itself, behind a
    /// region that has some, and at a barrier.
    std::string at_start() const;
    std::string before_loop() const;
    std::string behind_turn() const;
    std::string behind_loop() const;
    std::string behind_region(std::size_t region) const;
    std::string at_barrier(const std::string& place) const;

private:
    struct Loop {
        std::size_t number = 0;
        bool breaks = false;
        bool exits = false; ///< a jump of its own or a return is in it
    };
    std::string bits(std::size_t depth, bool leaves, bool ends_turn) const;

    std::unordered_set<std::size_t> returns_;
    std::unordered_map<std::size_t, Jump> jumps_; ///< by token
    std::vector<Loop> loops_;
};

} // namespace ferry::translate
