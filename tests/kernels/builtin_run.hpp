// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

#include <ferry/ferry.hpp>

#include <string>
#include <vector>

namespace kernels {

/// How a device treats floating-point numbers, measured.
struct Habits {
    bool flushes_float = false; ///< denormal floats become zero
    bool flushes_double = false;
};

const Habits& habits(const ferry::Device& device);

/// Runs every row on every type it has and the device has and on every width, compares, and prints how many
/// cases (function, type, width) that were. Rows go into programs of up to `rows_per_program`.
void check_builtins(const ferry::Device& device, const std::string& title, const std::vector<Builtin>& rows,
                    std::size_t rows_per_kernel = 8, std::size_t kernels_per_program = 8);

/// Whether a value that a device gave is what was wanted; `error` becomes the distance in units in the last
/// place.
bool accept(Type type, const Wanted& wanted, const Value& got, bool flushes, long double& error);

} // namespace kernels
