// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Runs this program again with these arguments and counts the system calls that all its threads make between
/// each pair of mark()s, with ptrace. Nothing, and the reason in `why_not`, where the system forbids that.
std::optional<std::vector<long>> count_system_calls(const std::vector<std::string>& arguments,
                                                    std::string& why_not);

/// In the program that is counted: from here on, and until here.
void mark();
