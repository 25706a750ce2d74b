// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_order.hpp"
#include "rewrite.hpp"

#include <string>

// The form in which the host runs a kernel.
namespace ferry::translate {

/// Whether it needs a body for the whole group, write_host_body(); otherwise it is a function of one
/// work-item.
bool needs_group_body(const Rewriter& rewriter, const FunctionSyntax& kernel);

/// Whether the compiler may be told that the work-items of a loop over this range are independent. An array,
/// or a variable with its address taken, is one object that all iterations share. For memory see
/// may_reorder_memory().
bool may_vectorise(const Syntax& syntax, Range range, const MemoryNames& names);

/// Omits const and other qualifiers from specifiers.
Rewriter::Replacements unqualified(const Syntax& syntax, Range specifiers);

/// The position after the operand of this sizeof.
std::size_t behind_sizeof(const Syntax& syntax, std::size_t keyword);

/// Whether computing a value may end the process for some inputs, for example for a zero divisor.
bool may_trap(const Syntax& syntax, Range value);

/// "kernel.cl:3:5", as a string literal of the C++.
std::string place_text(const Files& files, Position at);

} // namespace ferry::translate
