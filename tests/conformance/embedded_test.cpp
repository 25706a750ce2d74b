// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "embedded.cl.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace embedded_test {

using ferry::Program;

namespace {

std::uint32_t run_value(const ferry::Device& device, const Program& program) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.launch(program.kernel("value"), {1, 1}, out);
    return queue.read(out).at(0);
}

} // namespace

FERRY_TEST("embedded: kernels compiled into the program run") {
    const Program program{device, kernels::embedded_cl};
    INFO("explain(): ", program.explain());
    CHECK(run_value(device, program) == 7);
    if (device.backend() == ferry::Backend::host) {
        const bool from_text =
            // the strict device runs the text in two orders
            conformance::matches(device, ", strict") && device.info().compiles;
        CHECK(program.language() == (from_text ? ferry::Language::opencl_c : ferry::Language::host));
    }
}

FERRY_TEST("embedded: macros of the build options are never ignored") {
    CHECK(run_value(device, Program{device, kernels::embedded_cl, {.defines = {"VALUE=8"}}}) == 8);
    CHECK(run_value(device, Program{device, kernels::embedded_cl, {.opencl = "-DVALUE=9"}}) == 9);
}

} // namespace embedded_test
