// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

/// Runs this program again with these arguments. Counts, with ptrace, the system calls of all its threads
/// between each pair of mark() calls. If the system forbids that, returns nothing and stores the reason in
/// `why_not`.
std::optional<std::vector<long>> count_system_calls(const std::vector<std::string>& arguments,
                                                    std::string& why_not);

/// Called in the counted program: the first call begins the count, and the second one ends it.
void mark();
