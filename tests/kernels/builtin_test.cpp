// SPDX-License-Identifier: Apache-2.0
#include "../conformance/random.hpp"
#include "builtin_program.hpp"
#include "builtin_run.hpp"
#include "kernel_devices.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace kernels;

/// Chooses some rows at random, unless everything is to run.
template <class T>
std::vector<T> some_of(std::vector<T> all, std::size_t count) {
    while (!every_width() && all.size() > count) {
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(conformance::random_below(all.size())));
    }
    return all;
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
    std::vector<Type> types(std::begin(all_types), std::end(all_types));
    if (!device.info().fp64) {
        std::erase(types, Type::f64);
    }
    for (const Type from : some_of(std::move(types), 3)) {
        check_builtins(device, "conversions from " + name_of(from), conversion_builtins(from), 16, 8);
    }
}
