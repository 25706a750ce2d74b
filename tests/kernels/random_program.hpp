// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random_expression.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernels {

/// A statement with its effect on the model.
struct Statement {
    std::string text;
    std::function<void(Model&)> run;
};

/// A random kernel: variables that are initialised from the input, statements that change them, and an output
/// of every variable at the end. The kernel stays well-defined if any statement is removed.
struct RandomProgram {
    std::string before; ///< helper functions and the struct
    std::string locals; ///< local memory, declared at the kernel's top
    std::vector<Variable> variables;
    std::vector<Statement> statements;
    std::size_t expressions = 0;

    /// The number of scalars that each work-item reads and writes.
    std::size_t scalars() const;
    /// OpenCL C: `__kernel void random_kernel(__global const ulong* in, __global ulong* out)`.
    std::string text() const;
    /// The expected output.
    std::vector<std::uint64_t> expected(const std::vector<std::uint64_t>& in) const;
};

/// Uses random_engine().
RandomProgram random_program(const RandomLimits& limits = {});

} // namespace kernels
