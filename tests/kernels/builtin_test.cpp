// SPDX-License-Identifier: Apache-2.0
#include "../conformance/random.hpp"
#include "builtin_program.hpp"
#include "builtin_run.hpp"
#include "kernel_devices.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kernels;

/// Rows at random, where not everything is to be run.
std::vector<Builtin> some_of(std::vector<Builtin> rows, std::size_t count) {
    while (!every_width() && rows.size() > count) {
        rows[conformance::random_below(rows.size())] = std::move(rows.back());
        rows.pop_back();
    }
    return rows;
}

} // namespace

KERNEL_TEST("builtin: operators") {
    check_builtins(device, "operators", operator_builtins());
}
KERNEL_TEST("builtin: forms of operators") {
    check_builtins(device, "forms of operators", some_of(operator_form_builtins(), 60));
}
KERNEL_TEST("builtin: operators on two types") {
    check_builtins(device, "operators on two types", some_of(operator_mixture_builtins(), 12));
}
KERNEL_TEST("builtin: integer functions") {
    check_builtins(device, "integer functions", integer_builtins());
}
KERNEL_TEST("builtin: math functions") {
    check_builtins(device, "math functions", math_builtins());
}
KERNEL_TEST("builtin: common functions") {
    check_builtins(device, "common functions", common_builtins());
}
KERNEL_TEST("builtin: relational functions") {
    check_builtins(device, "relational functions", relational_builtins());
}
KERNEL_TEST("builtin: geometric functions") {
    check_builtins(device, "geometric functions", geometric_builtins());
}
KERNEL_TEST("builtin: conversions") {
    for (const Type from : all_types) {
        if (from != Type::f64 || device.info().fp64) {
            check_builtins(device, "conversions from " + name_of(from), conversion_builtins(from), 16, 8);
        }
    }
}
