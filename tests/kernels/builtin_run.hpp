// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

#include <ferry/ferry.hpp>

#include <string>
#include <vector>

namespace kernels {

/// Measured facts about a device's floating-point numbers.
struct Habits {
    bool flushes_float = false; ///< denormal floats become zero
    bool flushes_double = false;
};

const Habits& habits(const ferry::Device& device);

/// Runs every row on every type that the row and the device support, and on every width. Compares the
/// results, and prints the number of cases (function, type, width). A program has up to `rows_per_program`
/// rows.
void check_builtins(const ferry::Device& device, const std::string& title, const std::vector<Builtin>& rows,
                    std::size_t rows_per_kernel = 8, std::size_t kernels_per_program = 8);

/// Whether a value of the device is correct. Stores the distance in units in the last place in `error`.
bool accept(Type type, const Wanted& wanted, const Value& got, bool flushes, long double& error);

} // namespace kernels
