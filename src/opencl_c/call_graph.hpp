// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tree.hpp"

#include <functional>
#include <set>
#include <vector>

// Which functions of a text call which. No function here recurses, because chains of calls may be as long as
// the text, and each takes time linear in the number of functions and calls.
namespace ferry::opencl_c {

/// All functions, each after the functions that it calls. Of functions that call each other, an order of any
/// kind.
std::vector<FunctionId> callees_first(const Tree& tree);

/// Adds the function, and those that it calls directly or through others. Those of functions that `all` has
/// already are not added again.
void reach(const Tree& tree, FunctionId id, std::set<FunctionId>& all);

/// For each function: whether `own` is true of it, or of one that it calls directly or through others.
std::vector<bool> true_of_calls(const Tree& tree, const std::function<bool(FunctionId)>& own);

} // namespace ferry::opencl_c
