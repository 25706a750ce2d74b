// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace untrusted_test {

using namespace conformance;
using ferry::BuildOptions;
using ferry::Code;
using ferry::Program;
using ferry::Source;

namespace {

const std::string text = "#include \"scale.h\"\n"
                         "#if defined(FERRY_VERSION) && FACTOR > 2\n"
                         "__kernel void scale(__global const uint* in, __global uint* out, uint n) {\n"
                         "    const size_t i = get_global_id(0);\n"
                         "    if (i < n) { out[i] = SCALED(in[i]) + (uint)CHAR_BIT; }\n"
                         "}\n"
                         "#endif\n";

BuildOptions untrusted() {
    BuildOptions options;
    options.untrusted = true;
    options.defines = {"FACTOR=3"};
    options.headers = {{"scale.h", "#define SCALED(x) ((x) * FACTOR)\n"}};
    return options;
}

// Whether the device's kernels can access this process's memory.
bool shares_the_process(const ferry::Device& device) {
    return device.info().backend == ferry::Backend::host || device.info().kind == ferry::DeviceKind::cpu;
}

} // namespace

FERRY_TEST("untrusted: a text computes as always, unless kernels run in this process") {
    if (shares_the_process(device)) {
        expect_error(Code::unsupported, {device.id(), "untrusted", "in this process"},
                     [&] { const Program built(device, Source::opencl_c(text, "scale.cl"), untrusted()); });
        return;
    }
    const Program program(device, Source::opencl_c(text, "scale.cl"), untrusted());
    const auto data = random_values<std::uint32_t>(1009);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> in{device, data.size()};
    ferry::Buffer<std::uint32_t> out{device, data.size()};
    queue.copy(data, in);
    queue.launch(program.kernel("scale"), ferry::Grid::covering(data.size(), 64), in, out,
                 static_cast<std::uint32_t>(data.size()));
    const std::vector<std::uint32_t> result = queue.read(out);
    for (std::size_t i = 0; i < data.size(); ++i) {
        REQUIRE(result[i] == data[i] * 3 + 8);
    }
}

FERRY_TEST("untrusted: files, options and other languages are refused, each by its name") {
    if (shares_the_process(device)) {
        return; // the device is refused earlier; the test above covers that
    }
    expect_error(Code::build_failed, {"evil.cl:1:10", "/etc/passwd", "headers"}, [&] {
        const Program built(device, Source::opencl_c("#include \"/etc/passwd\"\n" + text, "evil.cl"),
                            untrusted());
    });
    expect_error(Code::build_failed, {"evil.cl:1:21", "no assembler"}, [&] {
        const Program built(device, Source::opencl_c("__kernel void k() { asm(\"trap;\"); }\n", "evil.cl"),
                            untrusted());
    });
    BuildOptions options = untrusted();
    options.include_directories = {"/usr/include"};
    expect_error(Code::invalid_argument, {"/usr/include", "untrusted"},
                 [&] { const Program built(device, Source::opencl_c(text), options); });
    for (const char* option : {"-I/usr/include", "-x", "-cl-ext=+all", "-include"}) {
        options = untrusted();
        options.opencl = std::string("-cl-mad-enable ") + option;
        expect_error(Code::invalid_argument, {option, "untrusted"},
                     [&] { const Program built(device, Source::opencl_c(text), options); });
    }
    options = untrusted();
    options.cuda = "--pre-include=/etc/passwd";
    expect_error(Code::invalid_argument, {"/etc/passwd", "untrusted"},
                 [&] { const Program built(device, Source::opencl_c(text), options); });
    expect_error(Code::unsupported, {"CUDA C++", "untrusted"}, [&] {
        const Program built(device, {Source::opencl_c(text), Source::cuda("__global__ void k() {}")},
                            untrusted());
    });
}

} // namespace untrusted_test
