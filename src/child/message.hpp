// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

// The texts that a process and its child exchange, line by line.
namespace ferry::detail::child_run {

using Clock = std::chrono::steady_clock; ///< The same in each process of the machine.

/// The first line of requests and reports: the form of the text, and Ferry's version.
std::string greeting();

/// Removes and returns the text before the next `end`, which is removed too; the whole text if there is none.
std::string_view next_part(std::string_view& text, char end) noexcept;

} // namespace ferry::detail::child_run
