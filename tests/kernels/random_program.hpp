// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "random_expression.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kernels {

/// A statement together with what it does to the model.
struct Statement {
    std::string text;
    std::function<void(Model&)> run;
};

/// A random kernel: variables that start from the input, statements that change them, and every variable
/// written to the output at the end. Any statement can be left out and the kernel stays well-defined.
struct RandomProgram {
    std::string before; ///< helper functions and the struct
    std::string locals; ///< local memory, declared at the kernel's top
    std::vector<Variable> variables;
    std::vector<Statement> statements;
    std::size_t expressions = 0;

    /// Scalars each work-item reads, and writes.
    std::size_t scalars() const;
    /// OpenCL C: `__kernel void random_kernel(__global const ulong* in, __global ulong* out)`.
    std::string text() const;
    /// What the output must be.
    std::vector<std::uint64_t> expected(const std::vector<std::uint64_t>& in) const;
};

/// From random_engine().
RandomProgram random_program(const RandomLimits& limits = {});

} // namespace kernels
