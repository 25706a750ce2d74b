// SPDX-License-Identifier: Apache-2.0
#include "translate/translate.hpp"

#include <doctest/doctest.h>

#include <string>

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

TEST_CASE("statements: a barrier splits behind and in a loop with a pragma") {
    for (const char* body :
         {"#pragma unroll\nfor (int j = 0; j < 4; ++j) t[i] = j;\nbarrier(1);",
          "#pragma unroll\nfor (int j = 0; j < 4; ++j) { t[i] = j; }\nbarrier(1);",
          "#pragma unroll 2\nfor (int j = 0; j < 4; ++j) { t[i] = j; barrier(1); }",
          "for (int n = 0; n < 2; ++n) {\n#pragma unroll\nfor (int j = 0; j < 4; ++j) { t[i] = j; }\n"
          "barrier(1); }",
          "t[i] = 1;\n#pragma something else\nbarrier(1);"}) {
        CAPTURE(body);
        const Translation t = for_host(body);
        CHECK(t.error == "");
        CHECK(count(t.text.substr(t.text.rfind("namespace user")), "FY_ITEMS_END") >= 2);
    }
}

TEST_CASE("statements: a name that hides another has one of its own where a kernel is split") {
    const Translation t = for_host(
        "int mine = i + 1; barrier(1);\n{ int y = mine; int mine = 9; barrier(1); t[i] = y + mine; }");
    CHECK(t.error == "");
    CHECK(count(t.text, "fy_own1_mine") >= 2);
    // The names of members and of a function's own variables hide nothing.
    const Translation same = for_host("struct { int i; } s = {.i = i}; barrier(1); t[i] = s.i;");
    CHECK(same.error == "");
    CHECK(count(same.text, "fy_own") == 0);
}

TEST_CASE("statements: an array that is as long as a string lives across a barrier") {
    const Translation t = for_host("char text[] = \"bar\" \"rier\"; barrier(1); t[i] = text[i & 1];");
    CHECK(t.error == "");
    CHECK(count(t.text, "sizeof(\"bar\" \"rier\")") == 1);
}

TEST_CASE("statements: a variable declared behind a pragma lives across a barrier") {
    const Translation t =
        for_host("#pragma something else\nint mine = t[i] + 1;\nbarrier(1);\nt[i] = mine;\nbarrier(1);");
    CHECK(t.error == "");
    CHECK(count(t.text, "& mine") >= 1);
}
