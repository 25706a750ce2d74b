// SPDX-License-Identifier: Apache-2.0
// Every pragma, attribute and unknown word is implemented, listed as harmless, or refused with its place.
#include "opencl_c/check.hpp"
#include "translate/annotations.hpp"
#include "translate_fixture.hpp"

#include <fstream>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

namespace kernel_annotations_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

using Dialects = std::span<const Dialect>;

/// The errors that keep a text from an OpenCL driver.
std::string drivers_errors(const std::string& text, const std::string& macros = {}) {
    ferry::opencl_c::Options options;
    options.name = "k.cl";
    options.target = "#define FERRY_OPENCL 1\n";
    options.preprocess.predefined = macros;
    const ferry::opencl_c::Checked checked = ferry::opencl_c::check(text, options);
    return checked.tree->checked ? "" : checked.messages();
}

/// By the compiler of kernels, for every backend.
void refused(const std::string& text, const std::string& place, const std::string& reason,
             Dialects of = dialects) {
    const std::string errors = drivers_errors(text);
    CHECK_MESSAGE(has(errors, "k.cl:" + place + ": error: "), text, "\n", errors);
    CHECK_MESSAGE(has(errors, reason), text, "\n", errors);
    for (const Dialect dialect : of) {
        const Translation t = translated(text, dialect);
        CHECK_MESSAGE(has(t.error, "k.cl:" + place + ": error: "), text, "\n", t.error);
        CHECK_MESSAGE(has(t.error, reason), text, "\n", t.error);
        CHECK(t.text.empty());
    }
}

void taken(const std::string& text, Dialects of = dialects) {
    CHECK_MESSAGE(drivers_errors(text).empty(), text);
    for (const Dialect dialect : of) {
        const Translation t = translated(text, dialect);
        CHECK_MESSAGE(t.error.empty(), text, "\n", t.error);
    }
}

std::vector<std::string> names_of(const Annotation& row) {
    std::vector<std::string> names;
    std::istringstream stream{std::string(row.names)};
    for (std::string name; std::getline(stream, name, ',');) {
        names.push_back(name.substr(name.find_first_not_of(' ')));
    }
    return names;
}

const std::string kernel = "__kernel void k(__global int* g) {}\n";

std::string with_attribute(const std::string& attribute) {
    return "struct __attribute__((" + attribute + ")) s { int a; };\n" + kernel;
}

const char* treatment(Treatment of) {
    return of == Treatment::implemented ? "implemented" : of == Treatment::harmless ? "no effect" : "refused";
}

} // namespace

TEST_CASE("annotations: each row of the tables is treated as it says") {
    for (const Annotation& row : known_pragmas()) {
        for (const std::string& name : names_of(row)) {
            if (row.treatment == Treatment::refused) {
                refused("int f(int);\n#pragma " + name + "\n" + kernel, "2:1",
                        "the pragma '" + name + "' is refused: " + std::string(row.reason));
            } else if (row.treatment == Treatment::harmless) {
                const std::string text = "#pragma " + name + " x (1)\n" + kernel;
                taken(text);
                CHECK(user_text(text) == user_text(kernel));
            }
        }
    }
    for (const Annotation& row : known_attributes()) {
        for (const std::string& name : names_of(row)) {
            for (const std::string& spelled : {name, "__" + name + "__", name + "(1, (2), x)"}) {
                if (row.treatment == Treatment::refused) {
                    refused(with_attribute("aligned(8), " + spelled), "1:35",
                            "' is refused: " + std::string(row.reason));
                } else if (row.treatment == Treatment::harmless) {
                    taken(with_attribute(spelled));
                    CHECK(user_text(with_attribute(spelled)) == user_text("struct s { int a; };\n" + kernel));
                    CHECK(user_text(with_attribute(spelled + ", __packed__, " + spelled)) ==
                          user_text(with_attribute("packed")));
                }
            }
        }
    }
}

TEST_CASE("annotations: the tables are in the kernel language's page") {
    std::ifstream file(FERRY_KERNEL_LANGUAGE_PAGE);
    std::ostringstream page;
    page << file.rdbuf();
    std::string missing;
    const auto look = [&](const Annotation& row, const std::string& prefix, const std::string& suffix) {
        std::string line = "|";
        for (const std::string& name : names_of(row)) {
            line += (line == "|" ? " `" : ", `") + prefix + name + suffix + "`";
        }
        line += std::string(" | ") + treatment(row.treatment) + " | " + std::string(row.reason) + " |\n";
        missing += page.str().find("\n" + line) == std::string::npos ? line : "";
    };
    for (const Annotation& row : known_pragmas()) {
        look(row, "#pragma ", "");
    }
    for (const Annotation& row : known_attributes()) {
        look(row, "", "");
    }
    CHECK_MESSAGE(missing.empty(), "kernel-language.md lacks:\n", missing);
}

TEST_CASE("annotations: unknown ones are refused with their place") {
    refused("#pragma something else\n" + kernel, "1:1", "the pragma 'something else' is not known");
    refused("#pragma GCC something\n" + kernel, "1:1", "the pragma 'GCC something' is not known");
    refused("#define P _Pragma(\"what is this\")\n__kernel void k(__global int* g) {\n  P *g = 1; }", "3:3",
            "the pragma 'what is this' is not known");
    refused("__kernel void k(__global int* g) {\n  int a __attribute__((unused, odd(3)));\n}", "2:32",
            "the attribute 'odd' is not known");
    refused("typedef int big __attribute__((mode(DI)));\n" + kernel, "1:32", "'mode' is refused");
    refused("[[gnu::packed]] struct s { int a; };\n" + kernel, "1:1", "no attributes in [[ ]]");
    refused("#pragma OPENCL FP_CONTRACT off\n" + kernel, "1:1",
            "'OPENCL FP_CONTRACT' takes ON, OFF or DEFAULT, not 'off'");
}

TEST_CASE("annotations: contraction is forbidden by the pragma alone") {
    CHECK_FALSE(translated("#pragma OPENCL FP_CONTRACT OFF\n" + kernel).contracts);
    CHECK_FALSE(translated("#pragma STDC FP_CONTRACT OFF\n" + kernel).contracts);
    CHECK(translated("#pragma OPENCL FP_CONTRACT ON\n" + kernel).contracts);
    CHECK(translated("#pragma message \"FP_CONTRACT OFF\"\n" + kernel).contracts);
}

TEST_CASE("annotations: an unknown word before a kernel is refused") {
    refused("REQD_GROUP(8, 1, 1) __kernel void k(__global int* g) {}", "1:1",
            "'REQD_GROUP' before the kernel 'k' is neither 'void' nor an attribute");
    refused("int f(int);\nTYPO\n__kernel void k(__global int* g) {}", "2:1", "'TYPO' before the kernel 'k'");
    refused("__kernel TYPO void k(__global int* g) {}", "1:10", "'TYPO' before the kernel 'k'");
    refused("__kernel int k(__global int* g) {}", "1:14", "its result type must be void");
    refused("__kernel void a(__global int* g) TYPO {}\n__kernel void b(__global int* g) {}", "1:34",
            "before 'TYPO'");
    refused("int f(a) int a; { return a; }\nint h(int a) { return a; }\n" + kernel, "1:7", "no type 'a'");
    refused("constant int x[2] = {f(1), 2};\n__kernel TYPO(3) void k(__global int* g) {}", "2:10",
            "'TYPO' before the kernel");
    taken("static inline __attribute__((reqd_work_group_size(8, 1, 1))) __kernel void k(__global int* g) {}");
}

TEST_CASE("annotations: vector types are those of ext_vector_type, on every device") {
    taken("typedef uint two __attribute__((ext_vector_type(2)));\n"
          "__kernel void k(__global two* g) { g[0] = (two)(3u, 4u) + (uint2)1; }\n");
    refused("typedef uint two __attribute__((vector_size(8)));\n" + kernel, "1:33",
            "the attribute 'vector_size' is refused");
}

TEST_CASE("annotations: pack is read as compilers do") {
    const std::string twice =
        user_text("#pragma pack(push, 1)\nstruct a { char c; int i; };\n#pragma pack(2)\n"
                  "struct b { char c; int i; };\n#pragma pack(pop)\nstruct c { char c; int i; };\n"
                  "__kernel void k(__global struct a* a, __global struct b* b, __global struct c* c) {\n"
                  "    a->i = b->i = c->i; }");
    CHECK(has(twice, "sizeof(s_a) == 5"));
    CHECK(has(twice, "sizeof(s_b) == 6"));
    CHECK(has(twice, "sizeof(s_c) == 8"));
    for (const char* const wrong : {"pack", "pack 1", "pack(3)", "pack(push, 3)", "pack(push, name, 1)",
                                    "pack(1", "pack(pop, 1)", "pack(push 1)", "packed(1)"}) {
        refused("struct a { int i; };\n#pragma " + std::string(wrong) + "\n" + kernel, "2:1", "the pragma '");
    }
    taken("#pragma pack(1)\nstruct a { char c; int i; } __attribute__((aligned(2)));\n"
          "struct a f(struct a x) { return x; }\n" +
          kernel);
}

TEST_CASE("annotations: a vector in a packed struct is refused, which C++ would not pack") {
    const std::string use = "__kernel void k(__global struct a* g) { g->c = 1; }\n";
    for (const char* const type :
         {"struct __attribute__((packed)) a { char c;\n  float4 v; };\n",
          "struct a { char c;\n  int2 v[2]; } __attribute__((__packed__));\n",
          "struct a { char c;\n  float3 v __attribute__((packed)); };\n",
          "#pragma pack(1)\nstruct a { char c;\n  uchar4 v; };\n",
          "typedef float2 pair; typedef pair row[3];\nstruct __attribute__((packed)) a { char c; row v; };\n",
          "typedef struct { float4 v; } in;\nstruct __attribute__((packed)) a { char c;\n  in v; };\n"}) {
        for (const Dialect dialect : dialects) {
            const std::string error = translated(type + use, dialect).error;
            CHECK_MESSAGE(has(error, "k.cl:"), type, error);
            CHECK_MESSAGE(has(error, "packed"), type, error);
        }
    }
    taken("struct __attribute__((packed)) a { char c; __global float4* v; };\nstruct b { float4 v; };\n"
          "typedef struct __attribute__((packed)) { char c; int v[4]; } c;\n" +
          kernel);
}

TEST_CASE("annotations: push_macro and pop_macro keep and restore a macro") {
    const auto value = [](const std::string& before) {
        const std::string text = user_text(before + "\n__kernel void k(__global int* g) { *g = X; }");
        const std::size_t at = text.find("*v_g = ") + 7;
        return text.substr(at, text.find(';', at) - at);
    };
    const std::string push = "#pragma push_macro(\"X\")\n";
    const std::string pop = "#pragma pop_macro(\"X\")\n";
    CHECK(value("#define X 1\n" + push + "#undef X\n#define X 2\n" + pop) == "1");
    CHECK(value("#define X 1\n" + push + "#undef X\n" + pop) == "1");
    CHECK(value("#define X 1\n" + push + push + "#undef X\n#define X 2\n" + pop + push +
                "#undef X\n#define X 3\n" + pop + pop) == "1");
    CHECK(has(translated(push + "#define X 2\n" + pop + "__kernel void k(__global int* g) { *g = X; }").error,
              "no variable 'X'"));
    CHECK(value("#define X 5\n" + pop) == "5");
    CHECK(value("#define X 1\n_Pragma(\"push_macro(\\\"X\\\")\")\n#undef X\n#define X 2\n"
                "_Pragma(\"pop_macro(\\\"X\\\")\")\n") == "1");
    refused("#pragma push_macro(X)\n" + kernel, "1:1", "'push_macro' needs the name of a macro");
    refused("#pragma pop_macro\n" + kernel, "1:1", "'pop_macro' needs the name of a macro");
}

TEST_CASE("annotations: a driver's branches count as its macros say") {
    const std::string text = "#ifdef cl_vendor\n#pragma vendor on\n#endif\n" + kernel;
    CHECK(has(drivers_errors(text, "#define cl_vendor 1\n"), "k.cl:2:1"));
    CHECK(drivers_errors(text).empty());
}

} // namespace kernel_annotations_test
