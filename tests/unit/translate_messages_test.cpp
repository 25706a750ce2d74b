// SPDX-License-Identifier: Apache-2.0
// Messages of this machine's compilers about a text. They must refer to the user's file, wherever the
// compiler found the mistake.
#include <ferry/compile.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace translate_messages_test {

using ferry::Backend;

namespace {

using Check = std::function<void(const std::string& said)>;

/// The messages of each installed compiler about a text named a.cl. Errors are Ferry's.
void messages(const std::vector<Backend>& backends, bool wrong, const std::string& text,
              const ferry::BuildOptions& options, const Check& check) {
    ferry::CompileRequest request;
    request.backends = backends;
    request.options = options;
    for (const ferry::CompileResult& r : ferry::compile(ferry::Source::opencl_c(text, "a.cl"), request)) {
        CHECK(r.translated == !wrong);
        CHECK(r.ok == (r.available && !wrong));
        if (r.available) {
            INFO(r.compiler, ":\n", r.diagnostics);
            check(r.diagnostics);
        }
    }
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// Checks that no line of the C++ is reported as a line of the user's file, which has `lines` lines.
void check_places(const std::string& said, std::size_t lines) {
    CHECK_FALSE(has(said, "kernels.cpp"));
    CHECK_FALSE(has(said, "a.cl("));
    CHECK_FALSE(has(said, "at line "));
    for (std::size_t at = said.find("a.cl:"); at != std::string::npos; at = said.find("a.cl:", at + 1)) {
        CHECK(std::stoul(said.substr(at + 5)) <= lines);
    }
}

} // namespace

TEST_CASE("every compiler's errors have the file, line and column") {
    const std::string text = "#include \"part.h\"\n"
                             "#define PLUS(x) ((x) + not_in_macro)\n"
                             "__kernel void k(__global float* o) {\n"
                             "    o[0] = not_here;\n"
                             "    o[1] = PLUS(1.0f);\n"
                             "    o[2] = 1.0f\n"
                             "    o[3] = from_header(1.0f);\n"
                             "}\n";
    ferry::BuildOptions options;
    options.headers = {
        {"part.h", "// more\nfloat from_header(float x) {\n    return x + not_in_header;\n}\n"}};
    messages({Backend::cuda, Backend::hip, Backend::host}, true, text, options, [](const std::string& said) {
        CHECK(has(said, "part.h:3:16: error: "));
        CHECK(has(said, "    return x + not_in_header;\n"));
        CHECK(has(said, "a.cl:4:12: error: "));
        CHECK(has(said, "a.cl:5:12: error: ")); // the call of the macro
        CHECK(has(said, "not_in_macro"));
        // Compilers report a missing ; after the last token or at the next one.
        CHECK((has(said, "a.cl:6:12: error: ") || has(said, "a.cl:6:16: error: ") ||
               has(said, "a.cl:7:5: error: ")));
        check_places(said, 8);
    });
}

TEST_CASE("a warning of a GPU's compiler has the line and the column of the user's file") {
    const std::string text = "#include \"part.h\"\n"
                             "__kernel void k(__global int* o) {\n"
                             "    o[0] = from_header(o[1]);\n"
                             "    o[2] =\n"
                             "        o[3] / 0;\n"
                             "    o[4] = " +
                             std::to_string(std::random_device()() / 2) + // The cache keeps no warnings.
                             ";\n}\n";
    ferry::BuildOptions options;
    options.headers = {{"part.h", "// more\nint from_header(int x) {\n    return 2 + x / 0;\n}\n"}};
    messages({Backend::cuda, Backend::hip}, false, text, options, [](const std::string& said) {
        for (const std::string place : {"part.h:3:", "a.cl:5:"}) { // Ferry and the compiler warn.
            const std::size_t first = said.find(place);
            REQUIRE(first != std::string::npos);
            const std::size_t second = said.find(place, first + 1);
            REQUIRE(second != std::string::npos);
            CHECK(has(said.substr(second, said.find('\n', second) - second), ": warning: division by zero"));
        }
        check_places(said, 7);
    });
}

} // namespace translate_messages_test
