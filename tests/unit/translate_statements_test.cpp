// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/emit.hpp"

#include <doctest/doctest.h>

#include <string>

namespace translate_statements_test {

using namespace ferry::translate;

namespace {

Translation for_host(const std::string& body) {
    const std::string text = "kernel void k(global int* p) { local int t[4]; int i = get_local_id(0);\n" +
                             body + "\np[i] = t[i ^ 1]; }\n";
    Request request;
    request.dialect = Dialect::host;
    request.text = text;
    return ferry::emit_cpp::translate(request);
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++found;
    }
    return found;
}

} // namespace

TEST_CASE("statements: a barrier splits after and in a loop with a pragma") {
    for (const char* body :
         {"#pragma unroll\nfor (int j = 0; j < 4; ++j) t[i] = j;\nbarrier(1);",
          "#pragma unroll\nfor (int j = 0; j < 4; ++j) { t[i] = j; }\nbarrier(1);",
          "#pragma unroll 2\nfor (int j = 0; j < 4; ++j) { t[i] = j; barrier(1); }",
          "for (int n = 0; n < 2; ++n) {\n#pragma unroll\nfor (int j = 0; j < 4; ++j) { t[i] = j; }\n"
          "barrier(1); }",
          "t[i] = 1;\n#pragma message \"else\"\nbarrier(1);"}) {
        CAPTURE(body);
        const Translation t = for_host(body);
        CHECK(t.error == "");
        CHECK(count(t.text.substr(t.text.rfind("namespace user")), "FY_ITEMS_END") >= 2);
    }
}

TEST_CASE("statements: a hiding name has a name of its own if a kernel is split") {
    const Translation t = for_host(
        "int mine = i + 1; barrier(1);\n{ int y = mine; int mine = 9; barrier(1); t[i] = y + mine; }");
    CHECK(t.error == "");
    CHECK(count(t.text, "v_mine = 9") == 1);
    CHECK(count(t.text, "v_t[v_i] = v_y + v_mine;") == 1);
}

TEST_CASE("statements: an array that is as long as a string lives across a barrier") {
    const Translation t = for_host("char text[] = \"bar\" \"rier\"; barrier(1); t[i] = text[i & 1];");
    CHECK(t.error == "");
    CHECK(count(t.text, "using fy_t_v_text = char[8];") == 1);
    CHECK(count(for_host("barrier(1); if (t[0] > 2) return;").text, "if (fy_all_gone") == 0);
}

TEST_CASE(
    "statements: regions that test for work-items elsewhere are functions in a kernel with many of them") {
    const auto of = [](int barriers) {
        std::string body = "if (p[i] > 3) return;\nfor (int j = 0; j < 3; ++j) {\n";
        for (int n = 0; n < barriers; ++n) {
            body += "t[i & 3] += i; if (t[0] == j) break; barrier(1);\n";
        }
        const Translation t = for_host(body + "}\n");
        CHECK(t.error == "");
        return t.text.substr(t.text.rfind("namespace user"));
    };
    const std::string few = of(8);
    CHECK(count(few, "FY_ITEMS_APART") == 0);
    CHECK(count(few, "FY_ITEMS_IN_ORDER if (fy_gone[fy_i])") >= 8);
    const std::string many = of(70);
    CHECK(count(many, "FY_ITEMS_APART if (fy_gone[fy_i])") >= 70);
    CHECK(count(many, "FY_ITEMS_APART_END") == count(many, "FY_ITEMS_APART if"));
}

TEST_CASE("statements: an unroll hint before a loop is a pragma, and no obstacle to splitting it") {
    const std::string_view hint = "__attribute__((unused)) __attribute__((opencl_unroll_hint(3))) ";
    const auto with = [&](std::string_view loop) { return for_host(std::string(hint).append(loop)); };
    CHECK(count(with("for (int j = 0; j < 3; ++j) t[j] = i;").text, "#pragma GCC unroll 3") == 1);
    for (const std::string_view loop :
         {"for (int j = 0; j < 3; ++j) { t[j] = i; barrier(1); }", "while (i++ < 3) barrier(1);",
          "do { barrier(1); } while (i++ < 3);"}) {
        CAPTURE(loop);
        CHECK(with(loop).error == "");
    }
    CHECK(for_host("if (t[0]) __attribute__((opencl_unroll_hint)) for (;;) { barrier(1); break; }").error ==
          "");
    const Translation aligned =
        for_host("__attribute__((aligned(16))) int a = i; barrier(1); a++; t[0] = a;");
    CHECK(count(aligned.text, "struct alignas(16) fy_a_v_a { int fy_value; }") == 1);
}

} // namespace translate_statements_test
