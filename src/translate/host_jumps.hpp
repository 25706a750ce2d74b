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

/// The returns of a kernel that is split at barriers, and the jumps of its loops that contain barriers. Each
/// work-item takes them separately. fy_gone has a word for each work-item, with a bit for "returned" and two
/// for each enclosing loop, "left it" and "done with this iteration"; regions skip work-items with a bit. It
/// is an error only if some work-items reach a barrier that others skip.
class HostJumps {
public:
    void read(const Statements& statements);
    /// Whether there are any.
    bool any() const noexcept { return !returns_.empty() || !jumps_.empty(); }
    bool may_return(Range range) const;
    /// Whether some work-items may be skipped at the present position.
    bool may_skip() const;

    /// The walk enters, and leaves, a loop that contains barriers.
    void enter(const Statement& loop);
    void leave();
    bool in_loop() const noexcept { return !loops_.empty(); }
    /// A word has bits for this many nested loops.
    static constexpr std::size_t deepest = 31;
    bool is_too_deep() const noexcept { return loops_.size() > deepest && any(); }
    /// Of the innermost loop: some work-items may leave it while others continue.
    bool breaks() const noexcept { return loops_.back().breaks; }

    /// The replacements of the jumps in a range that lead out of it.
    Rewriter::Replacements replaced(Range range, std::size_t region) const;
    /// C++ at the start of the kernel, before the innermost loop, after its body, after the loop, after a
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
        bool exits = false; ///< It contains one of its own jumps or a return.
    };
    std::string bits(std::size_t depth, bool leaves, bool ends_turn) const;

    std::unordered_set<std::size_t> returns_;
    std::unordered_map<std::size_t, Jump> jumps_; ///< By token.
    std::vector<Loop> loops_;
};

} // namespace ferry::translate
