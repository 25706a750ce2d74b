// SPDX-License-Identifier: Apache-2.0
// Pragmas, attributes and unknown words obey the same rules on every device.
#include "check.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace annotation_test {

using namespace conformance;
using ferry::BuildOptions;
using ferry::Code;
using ferry::Program;
using ferry::Source;

namespace {

bool is_opencl(const ferry::Device& device) {
    return device.info().backend == ferry::Backend::opencl;
}

std::string kernel_with(const std::string& lines, const std::string& head, const std::string& body) {
    return lines + head +
           " void turn(__global uint* data, uint n) {\n    const size_t i = get_global_id(0);\n" + body +
           "    if (i < n) { data[i] = ~data[i] + WIDE; }\n}\n";
}

void check_result(const ferry::Device& device, const Program& program) {
    const auto data = random_values<std::uint32_t>(1013);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, data.size()};
    queue.copy(data, buffer);
    queue.launch(program.kernel("turn"), ferry::Grid::covering(data.size(), 64), buffer,
                 static_cast<std::uint32_t>(data.size()));
    const std::vector<std::uint32_t> result = queue.read(buffer);
    for (std::size_t i = 0; i < data.size(); ++i) {
        REQUIRE(result[i] == ~data[i] + 7);
    }
}

void refused(const ferry::Device& device, const std::string& text, const std::string& place,
             const std::string& reason) {
    INFO(text);
    BuildOptions options;
    options.headers = {{"wide.h", "#define WIDE 7u\n#pragma vendor_hint 3\n"}};
    expect_error(Code::build_failed, {place + ": error: ", reason},
                 [&] { const Program built(device, Source::opencl_c(text, "turn.cl"), options); });
}

} // namespace

FERRY_TEST("annotations: those that are listed as harmless or implemented change no result") {
    const std::string lines =
        "#define WIDE 7u\n#pragma omp simd\n#pragma STDC FP_CONTRACT OFF\n"
        "_Pragma(\"mark done\")\n#pragma OPENCL EXTENSION cl_nowhere_at_all : disable\n"
        "inline __attribute__((always_inline, unused)) uint same(uint x) { return x; }\n";
    const std::string body =
        "    uint sum = 0;\n#pragma unroll 2\n    for (uint k = 0; k < 4; ++k) { sum += same(k); }\n"
        "    if (sum != 6) { return; }\n";
    check_result(
        device, Program(device, kernel_with(lines, "__kernel __attribute__((work_group_size_hint(64, 1, 1)))",
                                            body)));
}

FERRY_TEST("annotations: an unknown pragma, attribute or word is refused before a compiler reads it") {
    const std::string wide = "#define WIDE 7u\n";
    const auto pragma = [&](const std::string& name, const std::string& reason) {
        refused(device, kernel_with(wide + "#pragma " + name + "\n", "__kernel", ""), "turn.cl:2:1", reason);
    };
    pragma("vendor_hint 3", "the pragma 'vendor_hint 3' is not known, so it could change the result");
    pragma("OPENCL SELECT_ROUNDING_MODE rtz", "the pragma 'OPENCL SELECT_ROUNDING_MODE' is refused");
    pragma("clang optimize off", "compiler options belong in BuildOptions");
    pragma("pack(3)", "'pack(3)' is not understood");
    refused(device, kernel_with(wide + "_Pragma(\"vendor_hint 3\")\n", "__kernel", ""), "turn.cl:2:1",
            "'vendor_hint 3' is not known");
    refused(device, kernel_with("#include \"wide.h\"\n", "__kernel", ""), "wide.h:2:1",
            "'vendor_hint 3' is not known");
    const auto attribute = [&](const std::string& text, const std::string& reason) {
        refused(device, kernel_with(wide, "__kernel __attribute__((" + text + "))", ""), "turn.cl:2:25",
                reason);
    };
    attribute("vendor_hint(3)", "the attribute 'vendor_hint' is not known");
    attribute("__mode__(DI)", "the attribute '__mode__' is refused");
    refused(device, kernel_with(wide, "GROUP_OF(64) __kernel", ""), "turn.cl:2:1",
            "'GROUP_OF' before the kernel");
    refused(device, kernel_with(wide, "GROUP_OF_64 kernel", ""), "turn.cl:2:1",
            "'GROUP_OF_64' before the kernel 'turn' is neither 'void' nor an attribute");
    refused(device, kernel_with(wide + "uint x[2] = {1, 2};\n", "__kernel FAST", ""), "turn.cl:3:10",
            "'FAST' before the kernel");
}

FERRY_TEST("annotations: vector types of one's own are those of ext_vector_type") {
    const auto text = [](const std::string& attribute) {
        return kernel_with("#define WIDE 7u\ntypedef uint two __attribute__((" + attribute + "));\n",
                           "__kernel",
                           "    two a = (two)(3u, 4u);\n    if (a.x + a.y != WIDE) { return; }\n");
    };
    check_result(device, Program(device, text("ext_vector_type(2)")));
    refused(device, text("vector_size(8)"), "turn.cl:2:33", "the attribute 'vector_size' is refused");
}

FERRY_TEST("annotations: errors of types are found before a compiler reads the text") {
    const std::string wide = "#define WIDE 7u\n";
    refused(device, kernel_with(wide, "__kernel", "    uint b = vendor_clock();\n"), "turn.cl:4:14",
            "no function 'vendor_clock' is declared");
    refused(device, kernel_with(wide, "__kernel", "    uint4 b = (uint2)(1, 2);\n"), "turn.cl:4:15", "uint2");
}

FERRY_TEST("annotations: a text for OpenCL only follows the driver's rules, and fits no other device") {
    const std::string text = kernel_with("#define WIDE 7u\n#pragma vendor_hint 3\n", "__kernel", "");
    BuildOptions options;
    options.opencl_only = true;
    if (is_opencl(device)) {
        check_result(device, Program(device, Source::opencl_c(text), options));
        const std::string pair = "typedef uint pair __attribute__((vector_size(8)));\n";
        check_result(device, Program(device, Source::opencl_c(pair + text), options));
        expect_error(Code::build_failed, {"calls itself"}, [&] {
            const Program built(
                device, Source::opencl_c("int f(int x) { return x < 1 ? 0 : f(x - 1); }\n" + text), options);
        });
    } else {
        expect_error(Code::unsupported, {"No variant", "opencl_only"},
                     [&] { const Program built(device, Source::opencl_c(text), options); });
    }
}

FERRY_TEST("annotations: a text cannot be both for OpenCL only and untrusted") {
    BuildOptions options;
    options.opencl_only = true;
    options.untrusted = true;
    const auto error =
        error_of([&] { const Program built(device, Source::opencl_c("kernel void k() {}\n"), options); });
    REQUIRE(error);
    CHECK((error->code() == Code::unsupported || error->code() == Code::invalid_argument));
    CHECK(std::string(error->what()).find("BuildOptions::untrusted") != std::string::npos);
}

} // namespace annotation_test
