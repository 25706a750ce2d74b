// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <string>
#include <vector>

// Programs that are wrong on purpose, and what has to be said of each. docs/design/races.md has them as a
// table, which the test holds against this list.
namespace wrong {

struct Program {
    const char* name;
    const char* mistake;
    void (*run)(const ferry::Device& device); ///< throws what catches it
    /// What the message of each holds; empty: it cannot see this mistake.
    std::vector<std::string> always; ///< without any check, on every device
    std::vector<std::string> strict; ///< FERRY_HOST_MODE=strict
    std::vector<std::string> races;  ///< FERRY_CHECK=races
    bool ends = false;               ///< strict: the process ends with SIGSEGV
};

const std::vector<Program>& programs();

/// Programs that are right, close to those on host memory that are not: nothing may be said of them.
struct Right {
    const char* name;
    void (*run)(const ferry::Device& device); ///< throws if the answer is wrong
};

const std::vector<Right>& right_programs();

} // namespace wrong
