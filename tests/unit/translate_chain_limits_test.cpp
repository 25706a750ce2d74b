// SPDX-License-Identifier: Apache-2.0
// Texts whose translation would take very long for their length are rejected by a limit, with a message.
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

} // namespace

TEST_CASE("chains: an expression that is too deep is an error") {
    const auto error = [](const std::string& before, const std::string& link, std::size_t count) {
        return translated("__kernel void k(__global int* g, int i) { *g = " + before + repeated(link, count) +
                          "3; }")
            .error;
    };
    for (const char* const link : {"(int)~", "i == 3 ? 1 : ", "i << ", "i + "}) {
        CHECK_MESSAGE(error("", link, 200).empty(), link);
        const std::string deep = error("", link, 30000);
        CHECK_MESSAGE(has(deep, "k.cl:1:"), link);
        CHECK_MESSAGE(has(deep, " deep"), deep.substr(0, 300));
    }
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
    CHECK(has(translated("__kernel void k(__global int* a) { if (" + sum + ") a[2] = " + sum + "; }").error,
              "operations deep"));
}

TEST_CASE("chains: several expressions together may have more") {
    const std::string table =
        "__constant int t[] = {" + repeated("1 << 3, (int)4, 1 ? 2 : 3, ", 1000) + "0};\n";
    const std::string statements = repeated("*g = (int)(*g >> 1) > 3 ? 1 : 2; ", 300);
    CHECK(translated(table + "__kernel void k(__global int* g) {" + statements + "}").error.empty());
}

TEST_CASE("chains: functions with barriers that grow beyond the limit are an error with their place") {
    for (const bool empty : {false, true}) {
        const std::string type = empty ? "void" : "int";
        const std::string parameter = empty ? "void" : "int a";
        std::string text =
            type + " f0(" + parameter + ") { barrier(1); " + (empty ? "}" : "return a; }") + "\n";
        for (int i = 1; i < 60; ++i) {
            const std::string below = "f" + std::to_string(i - 1);
            text += type + " f" + std::to_string(i) + "(" + parameter + ") { " +
                    (empty ? below + "(); " + below + "(); }"
                           : "int x = " + below + "(a); int y = " + below + "(x); return y; }") +
                    "\n";
        }
        const auto calling = [&](const std::string& name) {
            return text + "__kernel void k(__global int* g) { " +
                   (empty ? name + "(); *g = 1; }" : "*g = " + name + "(1); }");
        };
        const std::string error = translated(calling("f59")).error;
        CHECK_MESSAGE(has(error, "are too large for the host: more than 4000 statements"), error);
        CHECK(translated(calling("f59"), Dialect::cuda).error.empty());
        CHECK(translated(calling("f3")).error.empty());
    }
}

} // namespace translate_chain_limits_test
