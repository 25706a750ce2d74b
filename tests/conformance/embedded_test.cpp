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
    if (device.backend() == ferry::Backend::vulkan) {
        CHECK(program.language() == ferry::Language::spirv);
        const ferry::KernelInfo info = program.kernel("value").info();
        REQUIRE(info.parameters.size() == 1);
        CHECK(info.parameters[0].name == "out");
        CHECK(info.parameters[0].kind == ferry::ParameterKind::buffer);
    }
}

FERRY_TEST("embedded: without GLOBAL_OFFSETS a launch with an offset is refused") {
    const Program program{device, kernels::embedded_cl};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 2};
    ferry::Grid grid{1, 1};
    grid.offset = {1, 0, 0};
    conformance::expect_error_anywhere(ferry::Code::invalid_argument, {"offset"},
                                       [&] { queue.launch(program.kernel("value"), grid, out); });
}

FERRY_TEST("embedded: debug information is made from the text on the host") {
    if (device.backend() == ferry::Backend::opencl) {
        MESSAGE(device.id(), ": not run, the driver decides about the option");
        return;
    }
    const Program program{device, kernels::embedded_cl, {.opencl = "-g"}};
    CHECK(run_value(device, program) == 7);
    if (device.backend() == ferry::Backend::host) {
        CHECK(program.language() == ferry::Language::opencl_c);
    }
}

FERRY_TEST("embedded: macros of the build options are never ignored") {
    CHECK(run_value(device, Program{device, kernels::embedded_cl, {.defines = {"VALUE=8"}}}) == 8);
    CHECK(run_value(device, Program{device, kernels::embedded_cl, {.opencl = "-DVALUE=9"}}) == 9);
    if (device.backend() == ferry::Backend::vulkan) {
        const Program program{device, kernels::embedded_cl, {.defines = {"VALUE=8"}}};
        CHECK(program.language() == ferry::Language::opencl_c);
    }
}

} // namespace embedded_test
