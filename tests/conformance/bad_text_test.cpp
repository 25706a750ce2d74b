// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace bad_text_test {

using namespace conformance;
using ferry::Code;
using ferry::Source;

namespace {

/// Checks the error of building `text`: the code is build_failed. The message has the file's name, and `line`
/// if the compiler reports lines.
void expect_refused(const ferry::Device& device, const std::string& text, std::size_t line,
                    const ferry::BuildOptions& options = {}, const std::string& file = "bad.cl") {
    const Unchanged unchanged{device};
    const std::string place = file + ":" + std::to_string(line) + ":";
    const ferry::Error error = expect_error(Code::build_failed, {device.id()}, [&] {
        const ferry::Program built(device, Source::opencl_c(text, "bad.cl"), options);
    });
    INFO("what(): ", std::string(error.what()));
    INFO("log(): ", error.log());
    CHECK(error.log().find(place) != std::string::npos);
    CHECK(std::string(error.what()).find(place) != std::string::npos);
}

/// A kernel `name` that writes `value`, in its own text.
std::string writing(const std::string& name, const std::string& value) {
    return "__kernel void " + name + "(__global uint* out) { out[0] = " + value + "; }\n";
}

std::uint32_t run(const ferry::Device& device, const ferry::Kernel& kernel) {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.fill(out, 0xdeadbeefU);
    queue.launch(kernel, {1, 1}, out);
    return queue.read(out).at(0);
}

} // namespace

FERRY_TEST("bad text: a syntax error") {
    expect_refused(device, "\n" + writing("f", "1 +* 2"), 2);
    expect_refused(device, writing("f", "1") + "__kernel void g(__global uint* out) {\n    out[0] = ;\n}\n",
                   3);
    expect_refused(device, writing("f", "1") + "\n__kernel void g(__global uint* out) {\n", 3);
    expect_refused(device, "\n\nthere is no C in here\n", 3);
}

FERRY_TEST("bad text: macros, conditions and comments without an end") {
    expect_refused(device, "#define TWICE(x) ((x) + (x))\n" + writing("f", "TWICE(1"), 2);
    expect_refused(device, "\n#if 1\n" + writing("f", "1"), 2);
    expect_refused(device, writing("f", "1") + "/* and so on\n" + writing("g", "2"), 2);
    expect_refused(device, writing("f", "1") + "#define\n", 2);
}

FERRY_TEST("bad text: headers that include one another for ever, and one that is not there") {
    const ferry::BuildOptions options{
        .headers = {{"a.h", "\n#include \"b.h\"\n"}, {"b.h", "\n\n#include \"a.h\"\n"}}};
    const Unchanged unchanged{device};
    const ferry::Error error = expect_error(Code::build_failed, {device.id()}, [&] {
        const ferry::Program built(
            device, Source::opencl_c("#include \"a.h\"\n" + writing("f", "1"), "bad.cl"), options);
    });
    INFO("what(): ", std::string(error.what()));
    CHECK(std::string(error.what()).find(".h:") != std::string::npos);
    expect_refused(device, "\n#include \"nowhere.h\"\n" + writing("f", "1"), 2);
}

FERRY_TEST("bad text: bytes that are no text") {
    std::string bytes(4096, '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(random_below(256));
    }
    bytes.replace(0, 2, std::string("\x7f\0", 2)); // a byte that begins no token, and a zero
    const Unchanged unchanged{device};
    const std::string kernel = "__kernel void f(__global uint* out) { out[0] = 1; }";
    for (const std::string& text : {bytes, std::string(64, '\0'),
                                    std::string("\x7f"
                                                "ELF\x02\x01\x01\0",
                                                8),
                                    kernel + std::string(1, '\0') + writing("g", "2")}) {
        const ferry::Error error = expect_error(Code::build_failed, {device.id()}, [&] {
            const ferry::Program built(device, Source::opencl_c(text, "bad.cl"));
        });
        INFO("what(): ", std::string(error.what()));
        CHECK(std::string(error.what()).find("bad.cl:1:") != std::string::npos);
    }
}

FERRY_TEST("bad text: invalid UTF-8 is refused in code and allowed in comments") {
    expect_refused(device, "\n" + writing("f", "\xff\xfe"), 2);
    const std::string text = "// r\xe9sum\xe9 \xff\n" + writing("f", "/* \x80 */ 17");
    CHECK(run(device, ferry::Program{device, Source::opencl_c(text)}.kernel("f")) == 17);
}

FERRY_TEST("bad text: a byte order mark is ignored") {
    const std::string mark = "\xEF\xBB\xBF";
    const ferry::Program plain{device, mark + writing("f", "7")};
    CHECK(run(device, plain.kernel("f")) == 7);
    ferry::BuildOptions options;
    options.headers["seven.h"] = mark + "#define SEVEN 7\n/*\n#include \"seven.h\"\n*/\n";
    const ferry::Program program{device, mark + "#include \"seven.h\"\n" + writing("f", "SEVEN"), options};
    CHECK(run(device, program.kernel("f")) == 7);
    expect_refused(device, mark + "\n" + writing("f", "1 +* 2"), 2);
}

FERRY_TEST("bad text: the same name twice") {
    expect_refused(device, writing("f", "1") + "\n" + writing("f", "2"), 3);
    expect_refused(device, "uint f(uint x) { return x; }\n" + writing("f", "2"), 2);
}

FERRY_TEST("bad text: no kernel at all") {
    const Unchanged unchanged{device};
    for (const std::string text : {"", "\n", "// nothing\n", "uint f(uint x) { return x; }\n"}) {
        INFO("text: ", text);
        expect_error(Code::build_failed, {device.id(), "none.cl"},
                     [&] { const ferry::Program built(device, Source::opencl_c(text, "none.cl")); });
    }
}

FERRY_TEST("bad text: a name of more than 1000 characters runs, or is refused where the driver would crash") {
    const Unchanged unchanged{device};
    for (const std::size_t length : {200U, 1200U}) {
        const std::string name = "f" + std::string(length - 1, 'x');
        const std::string text = writing("other", "6") + writing(name, "5");
        std::optional<ferry::Program> program;
        try {
            program.emplace(device, Source::opencl_c(text, "long.cl"));
        } catch (const ferry::Error& error) {
            REQUIRE(length > 1000);
            CHECK(device.backend() == ferry::Backend::opencl);
            CHECK(error.code() == Code::build_failed);
            CHECK(error.log().find("long.cl:2:15: error: a name of 1200 characters") != std::string::npos);
            continue;
        }
        CHECK(run(device, program->kernel(name)) == 5);
        CHECK(run(device, program->kernel("other")) == 6);
        expect_error(Code::not_found, {name.substr(0, 200)}, [&] { (void)program->kernel(name + "y"); });
    }
}

FERRY_TEST("bad text: kernels with no argument and with a hundred") {
    const Unchanged unchanged{device};
    std::string parameters = "__global uint* out";
    std::string sum = "0";
    std::array<std::uint32_t, 99> values{};
    std::uint32_t wanted = 0;
    const auto random = random_values<std::uint32_t>(values.size());
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        values[i] = random[i];
        wanted += (i + 1) * values[i];
        parameters += ", uint a" + std::to_string(i);
        sum += " + " + std::to_string(i + 1) + "u * a" + std::to_string(i);
    }
    const ferry::Program program{device, "__kernel void none() {}\n__kernel void nothing(void) {}\n"
                                         "__kernel void hundred(" +
                                             parameters + ") { out[0] = " + sum + "; }\n"};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 1};
    queue.fill(out, 0xdeadbeefU);
    queue.launch(program.kernel("none"), {3, 5});
    queue.launch(program.kernel("nothing"), {3, 5});
    const ferry::Kernel hundred = program.kernel("hundred");
    std::apply([&](auto... each) { queue.launch(hundred, {1, 1}, out, each...); }, values);
    CHECK(queue.read(out).at(0) == wanted);
    if (hundred.info().parameters_known) {
        CHECK(hundred.parameters().size() == 100);
        expect_error(Code::invalid_argument, {"100"}, [&] { queue.launch(hundred, {1, 1}, out); });
        expect_error(Code::invalid_argument, {"none"}, [&] {
            queue.launch(program.kernel("none"), {1, 1}, out);
        });
    }
}

} // namespace bad_text_test
