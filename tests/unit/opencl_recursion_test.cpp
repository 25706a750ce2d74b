// SPDX-License-Identifier: Apache-2.0
// Functions that call themselves, in texts that only an OpenCL driver can read.
#include "opencl/opencl_recursion.hpp"
#include "translate/preprocess.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace opencl_recursion_test {

using namespace ferry::translate;

namespace {

/// The function that is found. Empty if there is none.
std::string recursive(const std::string& text) {
    Files files;
    Diagnostics diagnostics;
    const std::uint32_t main = files.add("k.cl", text);
    const std::vector<Token> tokens = preprocess(files, main, {}, diagnostics);
    const std::size_t found = ferry::opencl::recursive_function(tokens);
    return found == tokens.size() ? "" : std::string(tokens[found].text);
}

} // namespace

TEST_CASE("recursion is found in a text with a driver's own types and attributes") {
    const std::string kernel = "kernel vendor_word void k(vendor_type<3> p) { p->h(1) @ f(2); }\n";
    CHECK(recursive("int f(int x) { return x < 1 ? 0 : f(x - 1); }\n" + kernel) == "f");
    CHECK(recursive("int f(int);\nint g(int x) __attribute__((vendor(3))) { return f(x); }\n"
                    "int h(int x) { return g(x); }\nint f(int x) { vendor { return h(x); } }\n" +
                    kernel) == "g");
    CHECK(recursive("#define F f\nint f(int x) { return F(x); }\n" + kernel) == "f");
}

TEST_CASE("calls of other functions and members are no recursion") {
    CHECK(
        recursive("int g(int);\nint f(int x) { return g(x); }\nkernel void k(global int* p) { f(1); f(2); }")
            .empty());
    CHECK(recursive("int f(struct s* p) { return p->f(1) + p[0].f(2); }").empty());
    CHECK(recursive("int f(int x) { int f = x; return f; }").empty());
    CHECK(recursive("").empty());
    CHECK(recursive("}{ ((").empty());
}

} // namespace opencl_recursion_test
