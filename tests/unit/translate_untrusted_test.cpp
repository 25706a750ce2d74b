// SPDX-License-Identifier: Apache-2.0
#include "translate/untrusted.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace translate_untrusted_test {

using namespace ferry::translate;

namespace {

std::string expanded(const std::string& text, const PreprocessOptions& options = {}) {
    return expand_untrusted("main.cl", text, options);
}

/// The messages about a rejected text; empty if it is accepted.
std::string refusal(const std::string& text, const PreprocessOptions& options = {}) {
    try {
        expand_untrusted("main.cl", text, options);
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
    CHECK(expanded("#define TWICE(x) ((x) * 2)\n#if 0\nnothing\n#endif\nint a = TWICE(3);\n\nint b;\n") ==
          "\n\n\n\nint a = ((3) * 2);\n\nint b;\n");
    PreprocessOptions options;
    options.defines = {"N=4"};
    options.headers = {{"x.h", "int from_header;\n#define M 7\n"}};
    const std::string text = expanded("#include \"x.h\"\n#include <x.h>\nint a = N + M;\n", options);
    CHECK(text.find("int from_header;") != std::string::npos);
    CHECK(text.find("int a = 4 + 7;") != std::string::npos);
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
    check_refused("void f() { asm(\"nop\"); }\n", "1:12", "'asm'");
    check_refused("#define GLUE(a, b) a##b\nvoid f() {\n    GLUE(__a, sm__)(\"nop\");\n}\n", "3:5",
                  "'__asm__'");
    check_refused("__attribute__((section(\"x\"))) int a;\n", "1:16", "section");
    check_refused("__attribute__((aligned(8), __constructor__)) void f();\n", "1:28", "constructor");
    check_refused("[[gnu::used]] int a;\n", "1:1", "'[['");
    check_refused("\?\?=include \"/etc/passwd\"\n", "1:1", "trigraphs");
    check_refused("constant char a[] = \"\?\?/\";\n", "1:21", "trigraphs");
    check_refused("#embed \"/etc/passwd\"\n", "1:2", "#embed");
    check_refused("#include_next <x.h>\n", "1:2", "#include_next");
}

} // namespace translate_untrusted_test
