// SPDX-License-Identifier: Apache-2.0
#include "translate/translate.hpp"

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
    return translate(request);
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

TEST_CASE("statements: a hiding name is renamed if a kernel is split") {
    const Translation t = for_host(
        "int mine = i + 1; barrier(1);\n{ int y = mine; int mine = 9; barrier(1); t[i] = y + mine; }");
    CHECK(t.error == "");
    CHECK(count(t.text, "fy_own1_mine") >= 2);
    // Names of members and of a function's own variables hide no built-in.
    const Translation same = for_host("struct { int i; } s = {.i = i}; barrier(1); t[i] = s.i;");
    CHECK(same.error == "");
    CHECK(count(same.text, "fy_own") == 0);
}

TEST_CASE("statements: an array that is as long as a string lives across a barrier") {
    const Translation t = for_host("char text[] = \"bar\" \"rier\"; barrier(1); t[i] = text[i & 1];");
    CHECK(t.error == "");
    CHECK(count(t.text, "sizeof(\"bar\" \"rier\")") == 1);
}

TEST_CASE("statements: a variable declared after a pragma lives across a barrier") {
    const Translation t =
        for_host("#pragma message \"else\"\nint mine = t[i] + 1;\nbarrier(1);\nt[i] = mine;\nbarrier(1);");
    CHECK(t.error == "");
    CHECK(count(t.text, "& mine") >= 1);
}

TEST_CASE("statements: exactly the heads with barriers are cleared, in every place") {
    const std::string call = "int f(int a) { barrier(1); return a; }\n";
    const auto translated = [&](const std::string& body) {
        const std::string text = call + "kernel void k(global int* p) { int i = 0, n = 3; " + body + " }\n";
        Request request;
        request.dialect = Dialect::host;
        request.text = text;
        return translate(request);
    };
    for (const char* body :
         {"if (n) ; else if (f(i)) p[0] = 1; else p[0] = 2;", "while (f(i++) < n) ;",
          "\n#pragma unroll\nwhile (f(i++) < n) p[i] = i;", "do i++; while (f(i) < n);",
          "for (i = f(2), n = f(i); f(i) < n; f(i), i += 2, f(n)) if (f(i)) break; else continue;",
          "for (int j = 0, *q = &i; j < f(n); j++) *q = j;", "for (;; f(i)) { if (i++ == n) return; }",
          "int a[2][2] = {{1, f(2)}, {[1] = f(3)}}; p[0] = a[0][1];", "while (barrier(1), n-- > 0) p[n] = 1;",
          "int a = 3, b = f(a), c[] = {f(b)}; p[0] = c[0];", "if (n) p[0] = 2, p[1] = f(1);",
          "do if (f(n)) switch (f(i)) default: p[0] = 1; while (f(1) < n--);",
          "for (i = 0; i < 3 && f(i) && n; ++i) p[i] = n ? 1, 2 : 3;"}) {
        CAPTURE(body);
        CHECK(translated(body).error == "");
    }
    const Translation plain = translated("for (i = 0, n = 2; i < n, i < 3; i++, n++) { p[i] = 1; f(i); }");
    CHECK(plain.error == "");
    CHECK(count(plain.text, "i < n, i < 3") == 1);
    CHECK(count(plain.text, "fy_again") == 0);
    for (const char* body :
         {"while (f(1)", "for (f(1); i) ;", "do i++; while (f(1)", "do while (f(1)) p[0] = 1",
          "for (f(1);) i++;", "int a = 1, b = f(a)", "else if (f(1)) i++;"}) {
        CAPTURE(body);
        CHECK(translated(body).error != "");
    }
}

TEST_CASE("statements: a loop that is left by return only ends when all have returned") {
    const Translation t = for_host("for (;;) { barrier(1); if (t[0] > 2) return; t[i] = 3; }");
    CHECK(t.error == "");
    CHECK(count(t.text, "if (fy_all_gone(fy_gone, fy_n)) return;") == 1);
    CHECK(count(for_host("barrier(1); if (t[0] > 2) return;").text, "if (fy_all_gone") == 0);
}

TEST_CASE("statements: an unroll hint before a loop is a pragma, and no obstacle to splitting it") {
    const std::string_view hint = "__attribute__((unused)) __attribute__((opencl_unroll_hint(3))) ";
    const auto with = [&](std::string_view loop) { return for_host(std::string(hint).append(loop)); };
    CHECK(count(with("for (int j = 0; j < 3; ++j) t[j] = i;").text, "#pragma GCC unroll  3") == 1);
    for (const std::string_view loop :
         {"for (int j = 0; j < 3; ++j) { t[j] = i; barrier(1); }", "while (i++ < 3) barrier(1);",
          "do { barrier(1); } while (i++ < 3);"}) {
        CAPTURE(loop);
        CHECK(with(loop).error == "");
    }
    CHECK(for_host("if (t[0]) __attribute__((opencl_unroll_hint)) for (;;) { barrier(1); break; }").error ==
          "");
    const Translation aligned = for_host("__attribute__((aligned(16))) int a = 0; barrier(1); t[0] = a;");
    CHECK(count(aligned.text, "aligned(16)") == 1);
}

} // namespace translate_statements_test
