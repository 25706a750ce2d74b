// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rewrite.hpp"

#include <optional>

namespace ferry::translate {

/// The test at the begin of a kernel that sends away the work-items beyond the data:
///     int i = get_global_id(0);          // before
///     if (i >= n) return;                // condition; or, around all the rest: if (i < n) { ... }
/// Knowing it, the host runs the work-items that stay without any test, which lets compilers see the loop
/// over them as a plain one.
struct HostGuard {
    Range before;       ///< declarations without an effect
    Range condition;    ///< without its parentheses
    bool leaves = true; ///< true: work-items for which it holds return; false: for which it does not
    Range rest;
    /// Those of a row that stay are neighbours: if the first and the last stay, so do all between.
    bool interval = false;
};

/// The guard of a kernel; nothing if it has none of that form.
std::optional<HostGuard> find_guard(const Syntax& syntax, const FunctionSyntax& kernel);

/// Whether groups side by side in x may be run as one wide group: neither the kernel nor what it calls asks
/// for the group's or the local index in x, and it has no local memory.
bool groups_may_merge(const Syntax& syntax, const FunctionSyntax& kernel);

} // namespace ferry::translate
