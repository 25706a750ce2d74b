// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rewrite.hpp"

#include <optional>

namespace ferry::translate {

/// The test at the beginning of a kernel that excludes work-items beyond the data:
///
///     int i = get_global_id(0);          // before
///     if (i >= n) return;                // condition; or, around all the rest: if (i < n) { ... }
///
/// With this test known, the host runs the remaining work-items without it, so that compilers see a plain
/// loop.
struct HostGuard {
    Range before;       ///< Declarations without an effect.
    Range condition;    ///< Without its parentheses.
    bool leaves = true; ///< True: work-items for which the condition is true return. False: work-items for
                        ///< which it is false return.
    Range rest;
    /// The remaining work-items of a row are adjacent: if the first and the last remain, so do all between.
    bool interval = false;
};

/// The guard of a kernel. Empty if it has none of that form.
std::optional<HostGuard> find_guard(const Syntax& syntax, const FunctionSyntax& kernel);

/// Whether groups adjacent in x may run as one wide group: neither the kernel nor its callees query the group
/// index or the local index in x, and it has no local memory.
bool groups_may_merge(const Syntax& syntax, const FunctionSyntax& kernel);

} // namespace ferry::translate
