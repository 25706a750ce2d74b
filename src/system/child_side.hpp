// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// For a process that a parent has started to answer it through pipes.
namespace ferry::detail {

/// Keeps standard output for this process's own answers: returns a descriptor of it that other programs do
/// not inherit, or -1. Later output of libraries goes to standard error, or nowhere if that is closed.
int take_output() noexcept;
/// Writes all bytes. If that fails, because the parent has ended, ends the process with status 1 at once.
void answer(int output, std::string_view bytes) noexcept;
/// All bytes of standard input, up to its end.
std::string read_input();
/// Ends the process without running exit handlers.
[[noreturn]] void end_at_once(int status) noexcept;
/// Lets the system end this process when its parent ends.
void end_with_parent() noexcept;

} // namespace ferry::detail
