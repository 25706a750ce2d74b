// SPDX-License-Identifier: Apache-2.0
#include "builtin_run.hpp"
#include "kernel_devices.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kernels;

} // namespace

KERNEL_TEST("builtin: operators") {
    check_builtins(device, "operators", operator_builtins());
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
