// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_order.hpp"
#include "rewrite.hpp"

#include <string>

// In which form the host runs a kernel.
namespace ferry::translate {

/// Whether it needs a body for the whole group, write_host_body(); else it is a function of one work-item.
bool needs_group_body(const Rewriter& rewriter, const FunctionSyntax& kernel);

/// Whether the compiler may be told that the work-items of a loop over this range are independent. An array
/// or an address of a variable is one object that all turns of the loop share; for memory see
/// may_reorder_memory().
bool may_vectorise(const Syntax& syntax, Range range, const MemoryNames& names);

/// Leaves const and its like out of specifiers.
Rewriter::Replacements unqualified(const Syntax& syntax, Range specifiers);

/// Behind the operand of the sizeof there.
std::size_t behind_sizeof(const Syntax& syntax, std::size_t keyword);

/// Whether computing a value ends the process for some others: not for a number to divide by.
bool may_trap(const Syntax& syntax, Range value);

/// "kernel.cl:3:5", as a string of the C++.
std::string place_text(const Files& files, Position at);

} // namespace ferry::translate
