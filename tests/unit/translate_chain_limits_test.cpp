// SPDX-License-Identifier: Apache-2.0
// Texts whose translation would take very long for their length are rejected by a limit, with a message.
#include "translate/chain_limits.hpp"
#include "translate_fixture.hpp"

#include <string>

namespace translate_chain_limits_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

std::string repeated(const std::string& text, std::size_t count) {
    std::string result;
    for (std::size_t i = 0; i < count; ++i) {
        result += text;
    }
    return result;
}

void check_limit(const std::string& before, const std::string& link, const std::string& after,
                 const std::string& what) {
    const std::string most = before + repeated(link, longest_chain) + after;
    CHECK(translated(most).error.empty());
    const std::string error = translated(before + repeated(link, longest_chain + 1) + after).error;
    CHECK_MESSAGE(has(error, "k.cl:1:"), error);
    CHECK_MESSAGE(has(error, "an expression has more than 256 " + what), error);
}

} // namespace

TEST_CASE("chains: more than 256 casts, choices or shifts of one expression are an error") {
    check_limit("__kernel void k(__global int* g) { *g = ", "(int)", "3; }", "casts in a row");
    check_limit("__kernel void k(__global int* g, int i) { *g = ", "i == 3 ? 1 : ", "3; }", "'?:'");
    check_limit("__kernel void k(__global int* g, int i) { *g = 1", " << i", "; }", "shifts");
    // A comma between the arguments of a call ends no chain around the call.
    check_limit("__kernel void k(__global int* g, int i) { *g = ", "i == 3 ? max(i, 1) : ", "3; }", "'?:'");
    check_limit("__kernel void k(__global int* g, int i) { *g = 1", " << max(i, g[i])", "; }", "shifts");
    // Nor does a compound literal.
    check_limit("struct s { int a, b; }; __kernel void k(__global int* g, int i) { *g = ",
                "i == 3 ? (struct s){i, 2}.a : ", "3; }", "'?:'");
}

TEST_CASE("chains: brackets without partners are examined in linear time") {
    // A search back from each brace would take minutes.
    for (const char* const link : {"){", "]{", "){(", "(int){", "}{"}) {
        const std::string error =
            translated("__kernel void k(__global int* g) {" + repeated(link, 100000) + "}").error;
        CHECK_MESSAGE(has(error, "k.cl:1:"), error.substr(0, 300));
    }
}

TEST_CASE("chains: a sum of many terms in brackets is examined in linear time") {
    const std::string sum = "a[0]" + repeated(" + (a[1])", 60000);
    CHECK(translated("__kernel void k(__global int* a) { if (" + sum + ") a[2] = " + sum + "; }")
              .error.empty());
}

TEST_CASE("chains: several expressions together may have more") {
    const std::string table =
        "__constant int t[] = {" + repeated("1 << 3, (int)4, 1 ? 2 : 3, ", 1000) + "0};\n";
    const std::string statements = repeated("*g = (int)(*g >> 1) > 3 ? 1 : 2; ", 300);
    CHECK(translated(table + "__kernel void k(__global int* g) {" + statements + "}").error.empty());
}

TEST_CASE("chains: functions with barriers that grow beyond the limit are an error with their place") {
    std::string text = "int f0(int a) { barrier(1); return a; }\n";
    for (int i = 1; i < 16; ++i) {
        const std::string below = "f" + std::to_string(i - 1);
        text += "int f" + std::to_string(i) + "(int a) { int x = " + below + "(a); int y = " + below +
                "(x); return y; }\n";
    }
    const auto calling = [&](const std::string& name) {
        return text + "__kernel void k(__global int* g) { *g = " + name + "(1); }";
    };
    const std::string error = translated(calling("f15")).error;
    CHECK_MESSAGE(has(error, "error: the text becomes "), error);
    CHECK_MESSAGE(has(error, "the limit is 100000"), error);
    CHECK(translated(calling("f15"), Dialect::cuda).error.empty());
    CHECK(translated(calling("f3")).error.empty());
}

} // namespace translate_chain_limits_test
