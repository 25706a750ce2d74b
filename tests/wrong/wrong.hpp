// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <string>
#include <vector>

// Deliberately wrong programs with the expected messages. docs/design/races.md has them as a table, and the
// test compares the table with this list.
namespace wrong {

struct Program {
    const char* name;
    const char* mistake;
    void (*run)(const ferry::Device& device); ///< throws the error that detects it
    /// Parts of the expected messages. Empty: this mistake cannot be detected in that way.
    std::vector<std::string> always; ///< without any check, on every device
    std::vector<std::string> strict; ///< FERRY_HOST_MODE=strict
    std::vector<std::string> races;  ///< FERRY_CHECK=races
    bool ends = false;               ///< strict: the process ends with SIGSEGV
};

const std::vector<Program>& programs();

/// Correct programs similar to wrong ones, on host memory. They must cause no message.
struct Right {
    const char* name;
    void (*run)(const ferry::Device& device); ///< throws if the result is wrong
};

const std::vector<Right>& right_programs();

} // namespace wrong
