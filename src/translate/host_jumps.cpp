// SPDX-License-Identifier: Apache-2.0
#include "host_jumps.hpp"

#include <algorithm>

namespace ferry::translate {

void HostJumps::read(const Statements& statements) {
    returns_.insert(statements.returns.begin(), statements.returns.end());
    for (const Jump& j : statements.jumps) {
        jumps_[j.token] = j;
    }
}

bool HostJumps::may_return(Range range) const {
    return std::any_of(returns_.begin(), returns_.end(),
                       [&](std::size_t i) { return i >= range.begin && i < range.end; });
}

bool HostJumps::may_skip() const {
    return !returns_.empty() ||
           std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.exits; });
}

void HostJumps::enter(const Statement& loop) {
    Loop entered{loop.loop, false, may_return(loop.all)};
    for (const auto& [token, j] : jumps_) {
        static_cast<void>(token);
        if (j.loop == loop.loop) {
            entered.exits = true;
            entered.breaks = entered.breaks || !j.is_continue;
        }
    }
    loops_.push_back(entered);
}

void HostJumps::leave() {
    loops_.pop_back();
}

Rewriter::Replacements HostJumps::replaced(Range range, std::size_t region) const {
    Rewriter::Replacements words;
    const std::string n = std::to_string(region);
    const std::string out = "; fy_exit" + n + " = 1; goto fy_end" + n + "; }";
    for (std::size_t i = range.begin; i < range.end; ++i) {
        if (returns_.count(i) != 0) {
            words[i] = {i + 1, "{ fy_gone[fy_i] |= 1" + out};
            continue;
        }
        const auto found = jumps_.find(i);
        for (std::size_t depth = 0; found != jumps_.end() && depth < loops_.size(); ++depth) {
            const Jump& j = found->second;
            if (loops_[depth].number == j.loop) {
                words[i] = {i + 1, "{ fy_gone[fy_i] |= " + bits(depth, !j.is_continue, j.is_continue) + out};
            }
        }
    }
    return words;
}

std::string HostJumps::at_start() const {
    return any() ? "fy_flags* const fy_gone = fy_take_flags(fy_n); FY_TAKEN(fy_gone, fy_flags) "
                   "[[maybe_unused]] bool fy_parts = false;"
                 : "";
}

std::string HostJumps::before_loop() const {
    return loops_.back().exits ? "bool fy_went" + std::to_string(loops_.back().number) + " = false;" : "";
}

std::string HostJumps::behind_turn() const {
    const std::string n = std::to_string(loops_.back().number);
    return loops_.back().exits
               ? "fy_next" + n + ":; if (fy_went" + n + ") { fy_clear(fy_gone, fy_n, " +
                     bits(loops_.size() - 1, false, true) + "); if (fy_all_skip(fy_gone, fy_n)) break; }"
               : "";
}

std::string HostJumps::behind_loop() const {
    const std::string n = std::to_string(loops_.back().number);
    return loops_.back().exits
               ? "if (fy_went" + n + ") fy_clear(fy_gone, fy_n, " + bits(loops_.size() - 1, true, true) + ");"
               : "";
}

std::string HostJumps::behind_region(std::size_t region) const {
    const std::string r = std::to_string(region);
    if (loops_.empty()) {
        return "static_cast<void>(fy_exit" + r + ");";
    }
    const std::string n = std::to_string(loops_.back().number);
    return "if (fy_exit" + r + ") { fy_went" + n + " = true; if (fy_all_skip(fy_gone, fy_n)) goto fy_next" +
           n + "; fy_parts = true; }";
}

std::string HostJumps::at_barrier(const std::string& place) const {
    const bool parts = std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.exits; });
    return parts ? "if (fy_parts) FY_AGREE(fy_parted(fy_gone, fy_n), 1, " + place + ")" : "";
}

std::string HostJumps::bits(std::size_t depth, bool leaves, bool ends_turn) const {
    const std::uint64_t two = (leaves ? 1U : 0U) | (ends_turn ? 2U : 0U);
    return std::to_string(two << (1 + 2 * std::min(depth, deepest - 1))) + "ul";
}

} // namespace ferry::translate
