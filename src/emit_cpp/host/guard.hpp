// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_c/tree.hpp"

#include <optional>
#include <vector>

namespace ferry::emit_cpp::host {

/// A kernel of the form `declarations; if (condition) return; rest` or `declarations; if (condition) rest`.
/// The declarations and the condition have no effects, and do not access memory.
struct Guard {
    std::vector<opencl_c::StmtId> before;
    opencl_c::ExprId condition = 0;
    std::vector<opencl_c::StmtId> rest;
    bool leaves = true;    ///< The condition is that of the return.
    bool interval = false; ///< The work-items of a row that do the rest are adjacent.
};

std::optional<Guard> find_guard(const opencl_c::Tree& tree, opencl_c::FunctionId kernel);

} // namespace ferry::emit_cpp::host
