// SPDX-License-Identifier: Apache-2.0
// Large texts, and small texts that grow. A step that is not linear exceeds the test's time limit. The
// sanitizers leave these tests out.
#include "emit_cpp/emit.hpp"
#include "translate_preprocess_fixture.hpp"

namespace translate_size_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

TEST_CASE("limits: large texts") {
    CHECK(Run(times(1'000'000, "float x;\n") + " ").tokens.size() == 3'000'001);
    CHECK(Run(times(200'000, "a + b")).tokens.size() == 400'002);
    CHECK(Run("\"" + times(1'000'000, "x") + "\"").tokens.size() == 2);
    CHECK(has(said(times(9'000'000, ";")), "more than 8000000 tokens"));
    CHECK(has(said(times(100'000, "@")), "'@' means nothing here"));
    CHECK(Run(times(100'000, "#define A B\n#undef A\n")).said.empty());
    CHECK(Run(times(100'000, "\\\n") + "x").tokens[0].at.line == 100'001);
}

TEST_CASE("limits: macros that grow without end") {
    std::string bomb = "#define A0(x) x x\n";
    std::string silent = "#define S0\n";
    std::string paste = "#define c(a) a##a\n#define P0 x\n";
    std::string text = "#define s(x) #x\n#define q(x) s(x)\n";
    for (int i = 1; i < 60; ++i) {
        const std::string n = std::to_string(i);
        const std::string before = std::to_string(i - 1);
        bomb += "#define A" + n + "(x) A" + before + "(x) A" + before + "(x)\n";
        silent += "#define S" + n + " S" + before + " S" + before + "\n";
    }
    CHECK(has(said(bomb + "A59(1)"),
              "more than 8000000 tokens when its macros are expanded, which is the limit"));
    CHECK(has(said(silent + "S59"), "more than 8000000 tokens"));
    CHECK(
        has(said("#define f(x) x x\n" + times(60, "f(") + "1" + times(60, ")")), "more than 8000000 tokens"));
    CHECK(has(said(text + times(60, "q(") + "\"\\\\\"" + times(60, ")")), "bytes, which is the limit"));
    CHECK(has(said("#define f(x) x\n" + times(300, "f(") + times(300, ")")),
              "macro calls are nested in their arguments 200 deep, which is the limit"));
    CHECK(Run("#define f(x) x\n" + times(150, "f(") + "1" + times(150, ")")).text == "1");
    std::string chain;
    for (int i = 0; i < 50'000; ++i) {
        chain += "#define C" + std::to_string(i) + " C" + std::to_string(i + 1) + "\n";
    }
    CHECK(tokens(chain + "C0") == "C50000");
}

TEST_CASE("a hundred thousand typedefs without an end take no longer than so many words") {
    std::string text =
        "#define T typedef typedef typedef typedef typedef typedef typedef typedef typedef typedef\n";
    for (int i = 0; i < 10'000; ++i) { // a former version scanned to the end of the text for each of them
        text += "T ";
    }
    text += "\n__kernel void k(__global int* g) {}";
    Request request;
    request.dialect = Dialect::cuda;
    request.name = "k.cl";
    request.text = text;
    CHECK(ferry::emit_cpp::translate(request).kernels.empty());
}

TEST_CASE("a text of ten megabytes is translated") {
    std::string text;
    for (int i = 0; text.size() < 10u << 20; ++i) {
        const std::string n = std::to_string(i);
        text += "float4 f" + n +
                "(float4 v, int i) { v.xy = v.zw * (float2)(1.0f, 2.0f) + (float)(i << i); return v; }\n";
    }
    text += "__kernel void k(__global float4* g) { *g = f7(*g, 3); }\n";
    Request request;
    request.dialect = Dialect::cuda;
    request.text = text;
    const Translation t = ferry::emit_cpp::translate(request);
    CHECK_MESSAGE(t.error.empty(), t.error);
}

} // namespace translate_size_test
