// SPDX-License-Identifier: Apache-2.0
#include "opencl_c/untrusted.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace kernel_untrusted_test {

using namespace ferry::translate;

namespace {

ferry::opencl_c::Options with(const PreprocessOptions& preprocess) {
    ferry::opencl_c::Options options;
    options.name = "main.cl";
    options.target = "#define FERRY_OPENCL 1\n";
    options.preprocess = preprocess;
    return options;
}

std::string expanded(const std::string& text, const PreprocessOptions& options = {}) {
    return ferry::opencl_c::expand_untrusted(text, with(options));
}

/// The messages about a rejected text; empty if it is accepted.
std::string refusal(const std::string& text, const PreprocessOptions& options = {}) {
    try {
        ferry::opencl_c::expand_untrusted(text, with(options));
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::build_failed);
        return error.log();
    }
    return {};
}

void check_refused(const std::string& text, const std::string& place, const std::string& words) {
    const std::string log = refusal(text);
    INFO("text: ", text, "\nlog: ", log);
    CHECK(log.find("main.cl:" + place + ": error: ") != std::string::npos);
    CHECK(log.find(words) != std::string::npos);
}

} // namespace

TEST_CASE("untrusted text: macros and conditions are removed, and lines keep their numbers") {
    CHECK(expanded("#define TWICE(x) ((x) * 2)\n#if 0\nnothing\n#endif\nconstant int a = TWICE(3);\n\n"
                   "int b(void);\n") == "\n\n\n\nconstant int a = ((3) * 2);\n\nint b(void);\n");
    PreprocessOptions options;
    options.defines = {"N=4"};
    options.headers = {{"x.h", "int from_header(void);\n#define M 7\n"}};
    const std::string text = expanded("#include \"x.h\"\n#include <x.h>\nconstant int a = N + M;\n", options);
    CHECK(text.find("int from_header(void);") != std::string::npos);
    CHECK(text.find("constant int a = 4 + 7;") != std::string::npos);
    CHECK(text.find('#') == std::string::npos);
}

TEST_CASE("untrusted text: pragmas and attributes that are implemented stay, and so do extensions") {
    const std::string text = expanded("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                      "typedef struct __attribute__((packed, aligned(8))) { int x; } S;\n"
                                      "_Pragma(\"STDC FP_CONTRACT OFF\")\n"
                                      "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void k() {\n"
                                      "#pragma unroll 4\n"
                                      "    for (int i = 0; i < 8; ++i) { }\n}\n");
    INFO("text: ", text);
    CHECK(text.starts_with("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"));
    for (const char* part :
         {"#pragma unroll 4\n", "FP_CONTRACT OFF\n", "packed", "aligned", "reqd_work_group_size"}) {
        CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    }
}

TEST_CASE("untrusted text: no file is included, whether it is there or not") {
    const std::string file = "untrusted_test_header.h";
    std::ofstream(file) << "int secret;\n";
    PreprocessOptions options;
    options.include_directories = {"/", "."};
    for (const char* line :
         {"#include \"untrusted_test_header.h\"", "#include <untrusted_test_header.h>",
          "#include \"/etc/passwd\"", "#define F <untrusted_test_header.h>\n#include F",
          "#inc\\\nlude \"/etc/passwd\"", "%:include \"/etc/passwd\"", "#/**/include </etc/passwd>"}) {
        const std::string log = refusal(std::string(line) + "\n", options);
        CHECK_MESSAGE(log.find("BuildOptions::headers") != std::string::npos, line);
        CHECK_MESSAGE(log.find("root:") == std::string::npos, log);
    }
    std::remove(file.c_str());
}

TEST_CASE("untrusted text: constructs with other effects than compilation are refused with their place") {
    check_refused("int a;\n#line 7 \"x\"\n", "2:7", "line marker");
    check_refused("# 7 \"x\"\n", "1:3", "line marker");
    check_refused("\n#pragma GCC dependency \"/etc/passwd\"\n", "2:1", "GCC");
    check_refused("_Pragma(\"clang module import x\")\n", "1:1", "clang");
    check_refused("void f() { asm(\"nop\"); }\n", "1:12", "no assembler");
    check_refused("#define GLUE(a, b) a##b\nvoid f() {\n    GLUE(__a, sm__)(\"nop\");\n}\n", "3:5",
                  "no assembler");
    check_refused("asm(\"nop\");\n", "1:1", "no assembler");
    check_refused("constant int a asm(\"b\") = 1;\n", "1:16", "'asm'");
    check_refused("__declspec(dllexport) void f();\n", "1:1", "'__declspec'");
    check_refused("__attribute__((section(\"x\"))) void f();\n", "1:16", "section");
    check_refused("__attribute__((aligned(8), __constructor__)) void f();\n", "1:28", "constructor");
    check_refused("[[gnu::used]] void f();\n", "1:1", "[[ ]]");
    check_refused("\?\?=include \"/etc/passwd\"\n", "1:2", "trigraphs");
    check_refused("constant char a[] = \"\?\?/\";\n", "1:21", "trigraphs");
    check_refused("#embed \"/etc/passwd\"\n", "1:2", "#embed");
    check_refused("#include_next <x.h>\n", "1:2", "#include_next");
}

TEST_CASE("untrusted text: no directive appears in the result") {
    check_refused("#define HASH #\nHASH include \"/etc/passwd\"\n", "2:1", "'#'");
    check_refused("#define HASH %:\nHASH include \"/etc/passwd\"\n", "2:1", "'#'");
    check_refused("#define HASH #\n__attribute__((annotate(\nHASH include \"x\"\n))) void f();\n", "3:1",
                  "'#'");
    check_refused("_Pragma(\"OPENCL EXTENSION all : disable \\\\\")\nvoid f();\n", "1:1", "backslash");
    check_refused("#pragma OPENCL EXTENSION \?\?=define\nvoid f();\n", "1:1", "trigraphs");
    // Compilers take a carriage return for the end of a line, also in a literal.
    const std::string include = "\r#include </etc/passwd>\r";
    for (const std::string quote : {"'", "\""}) {
        CHECK_FALSE(refusal("#pragma OPENCL EXTENSION cl_khr_fp64 : enable " + quote + include + "//" +
                            quote + "\nvoid f();\n")
                        .empty());
        CHECK_FALSE(
            refusal("_Pragma(\"OPENCL EXTENSION cl_khr_fp64 : enable '" + include + "//'\")\nvoid f();\n")
                .empty());
        CHECK_FALSE(refusal("constant int a = sizeof(" + quote + include + quote + ");\n").empty());
        PreprocessOptions options;
        options.defines = {"A=" + quote + include + "//" + quote};
        CHECK_FALSE(refusal("constant int a = sizeof(A);\n", options).empty());
        options.defines = {"A" + include + "=1"};
        CHECK_FALSE(refusal("constant int a = 1;\n", options).empty());
    }
    check_refused("void f(); //\r#include </etc/passwd>\n", "2:10", "passwd");
    for (const std::string rest : {" ; asm(\"x\")", " 'abc", " \\ x", "d", ""}) {
        const std::string pragma = "#pragma OPENCL EXTENSION cl_khr_fp64 : enable" + rest + "\nvoid f();\n";
        CHECK(refusal(pragma).empty() == rest.empty());
    }
    CHECK_FALSE(refusal("#pragma OPENCL EXTENSION cl_khr_fp64 : frobnicate\nvoid f();\n").empty());
}

TEST_CASE("untrusted text: the language's rules hold, with places in the text as written") {
    check_refused(
        "#define PLUS(x) (x + not_here)\n\nkernel void k(global int* p) {\n    p[0] = PLUS(1);\n}\n", "4:12",
        "no variable 'not_here'");
    check_refused("kernel void k(global int* p) { p[0] = M_PI_F + (float4)1; }\n", "1:37", "int");
    check_refused("int f(int x) { return x > 0 ? f(x - 1) : 0; }\n", "1:5", "calls itself");
}

TEST_CASE("untrusted text: macros of drivers stay names, and what has no effect is left out") {
    const std::string text =
        expanded("__attribute__((unused, aligned(8))) __attribute__((annotate(\"x\", (1)))) constant int a = "
                 "INT_MAX;\n"
                 "#pragma omp simd\n"
                 "kernel __attribute__((work_group_size_hint(8, 1, 1))) void k(global int* p) {\n"
                 "    barrier(CLK_LOCAL_MEM_FENCE);\n    p[0] = true;\n}\n");
    INFO("text: ", text);
    for (const char* kept :
         {"= INT_MAX;\n", "\nbarrier(CLK_LOCAL_MEM_FENCE);\np[0] = true;\n", "aligned(8)"}) {
        CHECK_MESSAGE(text.find(kept) != std::string::npos, kept);
    }
    for (const char* left_out : {"unused", "annotate", "\"x\"", "work_group_size_hint", "#", "omp"}) {
        CHECK_MESSAGE(text.find(left_out) == std::string::npos, left_out);
    }
    CHECK(expanded(text) == text);
}

} // namespace kernel_untrusted_test
