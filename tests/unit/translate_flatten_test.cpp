// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/emit.hpp"
#include "translate/flatten.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace translate_flatten_test {

using namespace ferry::translate;

namespace {

using Headers = std::map<std::string, std::string>;

const Headers headers{
    {"ok.h", "int ok; /* of line */ int at = __LINE__;\n"},
    {"lib.h", "/* Use:\n#include \"lib.h\"\n */\n#ifndef LIB_H\n#define LIB_H\nint lib; /* one */\n#endif\n"},
    {"ring_a.h", "#if !defined(RING_A)\n#define RING_A\n#include \"ring_b.h\"\nint a;\n#endif\n"},
    {"ring_b.h", "#if !defined RING_B\n#define RING_B\n#include \"ring_a.h\"\nint b;\n#endif\n"},
    {"once.h", "// first\n#pragma once\nint once;\n"},
    {"twice.h", "// no #pragma once\nint twice;\n"},
    {"marked.h", "\xEF\xBB\xBFint marked;\n"},
    {"again.h", "#if !defined AGAIN\n#define AGAIN\nint first;\n#include \"again.h\"\nint last;\n#else\n"
                "int inner = __LINE__;\n#endif\n"},
    {"part.h", "#ifndef PART\n#define PART\n#include \"part.h\"\n#endif\nint part;\n"},
    {"loud.h", "#ifndef LOUD_H\nint undefined;\n#endif\n#define LOUD_H\nint loud;\n"},
    {"passes.h",
     "#if PASS == 0\n#define PASS 1\n#include \"passes.h\"\n#elif PASS == 1\nint one;\n#undef PASS\n"
     "#define PASS 2\n#include \"passes.h\"\n#else\nint two;\n#endif\n"},
    {"undone.h", "#ifndef UNDONE\n#define UNDONE\n#ifndef TWICE\n#define TWICE\n#undef UNDONE\nint undone;\n"
                 "#include \"undone.h\"\n#endif\nint at = __LINE__;\n#endif\n"},
    {"late.h", "#define LATE 1\n#if LATE\n#pragma once // here\n#endif\nint late = __LINE__;\n"},
    {"never.h", "#if 0\n#pragma once\n#endif\nint each;\n"},
    {"a//b", "int slashes;\n"},
    {"a/*b", "int star;\n"},
    {"a\\", "int back;\n"},
    {"dollar_a.h", "#ifndef LIB$A_H\n#define LIB$A_H\nint dollar_a;\n#endif\n"},
    {"dollar_b.h", "#ifndef LIB$B_H\n#define LIB$B_H\nint dollar_b;\n#endif\n"},
    {"accent_a.h", "#ifndef LIB\xC3\x89_H\n#define LIB\xC3\x89_H\nint accent_a;\n#endif\n"},
    {"accent_b.h", "#ifndef LIB\xC3\x88_H\n#define LIB\xC3\x88_H\nint accent_b;\n#endif\n"},
};

std::string preprocessed(const std::string& text, const Headers& known,
                         const std::vector<std::string>& defines = {}) {
    Request request;
    request.name = "k.cl";
    request.text = text;
    request.preprocess.defines = defines;
    for (const auto& [name, contents] : known) {
        request.preprocess.headers.push_back({name, contents});
    }
    const ferry::emit_cpp::Unit unit(request);
    CHECK_FALSE(unit.failed());
    std::string tokens = unit.spelling();
    std::replace(tokens.begin(), tokens.end(), '\n', ' ');
    return tokens;
}

} // namespace

TEST_CASE("flatten: the text means the same without its headers") {
    for (const std::string& text : std::initializer_list<std::string>{
             "#include \"ok.h\"\nint l = __LINE__;",
             "# /* x */ include /* y */ \"ok.h\" // z\nint l = __LINE__;",
             "#inc\\\nlude \"ok.h\"\nint l = __LINE__;",
             "#define X 1 \\\n#include \"ok.h\"\nint l = __LINE__;",
             "/*\n#include \"ok.h\"\n*/ int l = __LINE__;",
             "// \\\n#include \"ok.h\"\nint l = __LINE__;",
             "/* a\n*/ #include \"ok.h\" /* b\n c */\nint l = __LINE__;",
             "char c[] = \"/*\";\n#include \"ok.h\"\nint d = '\"';\n#include \"ok.h\"\n// */",
             "#include \"lib.h\"\n#include \"lib.h\"\nint l = __LINE__;",
             "#include \"ring_a.h\"\nint l = __LINE__;",
             "#include \"once.h\"\n#include \"once.h\"\n#include \"twice.h\"\n#include \"twice.h\"",
             std::string("#if 0\n#include \"nowhere.h\"\n#include NOTHING\n#endif\n") +
                 "#include <ok.h>\r\nint l = __LINE__;\r\n",
             "\xEF\xBB\xBF#include \"marked.h\"\n",
             "#include \"again.h\"\n#include \"again.h\"",
             "#include \"part.h\"\n#include \"part.h\"",
             "#include \"loud.h\"\n#include \"loud.h\"",
             "#define PASS 0\n#include \"passes.h\"",
             "#include \"undone.h\"",
             "#include \"late.h\"\n#include \"late.h\"",
             "#include \"never.h\"\n#include \"never.h\"",
             "#include <a//b> // c\n#include <a/*b> /* d */\nint l = __LINE__;",
             "#include \"a\\\" // c\n%:include \"ok.h\"",
             "#if 0\n#include WHICH\n#endif\nint l = __LINE__;",
             "#if X\n#include \"ok.h\"\n#endif /* a\n b */ // c\nint l = __LINE__;",
             "#if X\n#if Y\n#include \"ok.h\"\n#endif\n#else\nint l = __LINE__;\n#endif\nint m = __LINE__;",
             "#include \"dollar_a.h\"\n#include \"dollar_b.h\"\n#include \"dollar_a.h\"",
             "#include \"accent_a.h\"\n#include \"accent_b.h\"\n#include \"accent_a.h\"",
             "#include \"ok.h\"\n#line 100\n#if X\n#endif\nint l = __LINE__;",
             "#define BOTH 1 || 0\n#define OFF 0\n#if BOTH && OFF\n#include \"ok.h\"\n#endif",
             "#line 100 \"made.y\"\n#include \"ok.h\"\nint l = __LINE__; char f[] = __FILE__;",
             "#line 100\n\n#include \"ok.h\"\nint l = __LINE__;\n# 7 \"x.y\"\n#include \"ok.h\"\nint m = "
             "__LINE__; char f[] = "
             "__FILE__;",
             "#include \"ok.h\"\n#if X\n#line 100 \"made.y\"\n#include \"ok.h\"\nint l = "
             "__LINE__;\n#else\n#include "
             "\"ok.h\"\nint l = __LINE__; char f[] = __FILE__;\n#endif",
             "#define X 1\n#if X\n#line 100 \"made.y\"\n#else\n#line 200\n#endif\n#include \"ok.h\"\nint l = "
             "__LINE__;",
             "#if 0\n#line 100 \"made.y\"\n#if 1\n#else\n#line 200\n#endif\n#endif\n#include \"ok.h\"\nint l "
             "= __LINE__; char "
             "f[] = __FILE__;",
             "#ifdef X\n#include \"ok.h\"\n#line 10 \"q.y\"\n#endif\nint l = __LINE__; char f[] = __FILE__;",
             std::string(
                 "#ifdef X\n#include \"ok.h\"\n#line 10 \"q.y\"\n#else\nint l = __LINE__;\n#endif\n") +
                 "int m = __LINE__; char f[] = __FILE__;",
             std::string("#if X\n#line 100 \"a.y\"\n#else\n#include \"ok.h\"\n#endif\nint l = __LINE__; ") +
                 "char f[] = __FILE__;",
             std::string("#if X\n#line 100 \"a.y\"\n#if Z\n#include \"ok.h\"\n#endif\n#elif Y\n#line 200\n") +
                 "#include \"ok.h\"\nint k = __LINE__;\n#else\n#include \"ok.h\"\n#endif\nint l = __LINE__; "
                 "char f[] = __FILE__;",
             std::string("#if X\n#include \"ok.h\"\n#line 1\n#endif /* too near\n*/ // c\n#if Y\n#line 3\n") +
                 "#endif\n",
             "#includes\n"}) {
        CAPTURE(text);
        if (text.starts_with("#includes")) {
            CHECK(flatten(text, "k.cl", {}, headers).find("#includes") != std::string::npos);
            continue;
        }
        for (const std::string define : {"NEITHER", "X", "Y"}) {
            CAPTURE(define);
            CHECK(preprocessed(flatten(text, "k.cl", {}, headers), {}, {define}) ==
                  preprocessed(text, headers, {define}));
        }
    }
}

TEST_CASE("flatten: a file named by a macro is refused if all files must be included") {
    const std::string text = "int a;\n/* b\n*/ # include NAME\n";
    CHECK(flatten(text, "k.cl", {}, headers).find("include NAME") != std::string::npos);
    try {
        flatten(text, "k.cl", {}, headers, true);
        FAIL("no error");
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::build_failed);
        CHECK(error.log().starts_with("k.cl:3: error: a macro names the file"));
    }
    CHECK_NOTHROW(flatten("/*\n#include NAME\n*/", "k.cl", {}, headers, true));
}

TEST_CASE("flatten: a file that a macro names, in a branch that is left out, stays") {
    for (const std::string& text : std::initializer_list<std::string>{
             "#if 0\n#include NAME\n#endif", "#ifdef X\n#elif 1\n#else\n#include NAME\n#endif",
             "#ifdef X\n#ifndef X\n#include NAME\n#endif\n#endif",
             "#if !defined (X)\n#else\n#if !defined X\n#include NAME\n#endif\n#endif",
             "#if 1\n#elif X\n#include NAME\n#endif",
             "#define ON\n#ifndef ON\n#ifdef Y\n#include NAME\n#endif\n#endif",
             std::string("#ifdef A\n#define B 2\n#else\n#define B 2\n#endif\n") +
                 "#if B != 2 || (!defined(B) && C)\n#include NAME\n#endif"}) {
        CAPTURE(text);
        const std::string flat = flatten(text, "k.cl", {}, headers, true);
        CHECK(flat.find("#include NAME") != std::string::npos);
    }
    for (const std::string& text : std::initializer_list<std::string>{
             "#ifdef X\n#include NAME\n#endif", "#if 0\n#else\n#include NAME\n#endif",
             "#if 0 & X\n#include NAME\n#endif",
             "#ifdef X\n#elif 1\n#define A\n#endif\n#ifndef A\n#include NAME\n#endif",
             "#define A 2\n#if A < 1\n#elif A\n#include NAME\n#endif",
             "#ifdef X\n#undef A\n#endif\n#ifdef A\n#include NAME\n#endif",
             "#define A\n#include <elsewhere.h>\n#ifndef A\n#include NAME\n#endif"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(flatten(text, "k.cl", {}, headers, true), ferry::Error);
    }
}

TEST_CASE("flatten: conditions know the definitions of the options") {
    const std::vector<std::string> defines{"A=1 || 1", "B=2", "C", "F(x)=x"};
    std::string lines;
    for (const std::string& define : defines) {
        lines += define_line(define) + "\n";
    }
    CHECK(lines == "#define A 1 || 1\n#define B 2\n#define C 1\n#define F(x) x\n");
    for (const std::string condition : {"#if A && 0", "#if A", "#if B == 2", "#if B == 3", "#ifdef C",
                                        "#ifndef C", "#if C > 1", "#if F(0)", "#ifdef F", "#ifdef D"}) {
        CAPTURE(condition);
        const std::string text =
            condition + "\n#include \"ok.h\"\n#else\n#include \"twice.h\"\n#endif\nint l = __LINE__;\n";
        const std::string flat = flatten(text, "k.cl", {}, headers, true, defines);
        CHECK(preprocessed(lines + flat, {}) == preprocessed(lines + "#line 1\n" + text, headers));
    }
    for (const std::string condition : {"#if B == 3", "#ifndef C", "#if C > 1 && D"}) {
        const std::string text = condition + "\n#include NAME\n#endif\n";
        CHECK(flatten(text, "k.cl", {}, {}, true, defines).find("#include NAME") != std::string::npos);
        CHECK_THROWS_AS(flatten(text, "k.cl", {}, {}, true), ferry::Error);
    }
}

TEST_CASE("flatten: a definition has a name and ends in its own line") {
    const auto refused = [](const std::string& define, const std::string& why) {
        for (const auto& attempt : std::initializer_list<std::function<void()>>{
                 [&] { (void)define_line(define); },
                 [&] {
                     (void)flatten("int a;", "k.cl", {}, {}, true, {"A=1", define});
                 }}) {
            try {
                attempt();
                FAIL("no error");
            } catch (const ferry::Error& error) {
                CHECK(error.code() == ferry::Code::invalid_argument);
                CHECK(std::string(error.what()).find("The definition '" + define + "' " + why) !=
                      std::string::npos);
            }
        }
    };
    refused("", "has no name");
    refused("=3", "has no name");
    refused("A=1 \\", "ends with a backslash");
    refused("A\\", "ends with a backslash");
    CHECK(define_line("A=") == "#define A ");
    CHECK(define_line("A=\\ 1") == "#define A \\ 1");
}

TEST_CASE("flatten: errors have the place that the text says") {
    try {
        flatten("#line 70 \"made.y\"\n\n#include NAME\n", "k.cl", {}, {}, true);
        FAIL("no error");
    } catch (const ferry::Error& error) {
        CHECK(error.log().starts_with("made.y:71: error: "));
    }
}

TEST_CASE("flatten: guarded headers that include each other are inserted once") {
    Headers many;
    std::string all;
    for (int i = 0; i < 40; ++i) {
        const std::string name = "h" + std::to_string(i);
        std::string text = "#ifndef GUARD_" + name + "\n#define GUARD_" + name +
                           (i % 2 == 0 ? " 1\n" : "\n") + all + "int " + name + ";\n#endif\n";
        all += "#include \"" + name + "\"\n";
        many.emplace(name, std::move(text));
    }
    const std::string flat = flatten(all, "k.cl", {}, many, true);
    CHECK(preprocessed(flat, {}) == preprocessed(all, many));
    CHECK(flat.find("int h0;") == flat.rfind("int h0;"));
}

TEST_CASE("flatten: after a line that sets the number, no marker changes it") {
    for (const std::string sets : {"# 100 \"x\"", "%: /**/ 100", "#line 100"}) {
        const std::string flat =
            flatten("#include \"ok.h\"\n" + sets + "\n#if X\n#endif\nint l;\n", "k.cl", {}, headers);
        CHECK(flat.find("#line", flat.find(sets) + 1) == std::string::npos);
    }
}

TEST_CASE("flatten: headers that include each other and one that is not found") {
    const std::string own = "#ifndef __OPENCL_VERSION__\n#include <nowhere.h>\n#endif\n";
    for (const auto& around : std::initializer_list<std::pair<std::string, std::string>>{
             {"#ifndef A_H\n#define A_H\n", "#endif\n"},
             {"// a\n#if !defined(A_H)\n#define A_H 1\n", "#endif\n"},
             {"#pragma once\n", ""},
             {"#pragma once\n#ifndef A_H\n#define A_H\n", "#endif\n"}}) {
        CAPTURE(around.first);
        const Headers both{
            {"a.h", around.first + own + "#include \"b.h\"\nint a;\n" + around.second},
            {"b.h", "#ifndef B_H\n#define B_H\n#include \"a.h\"\nint b;\n#endif\n"},
        };
        const std::string text = "#define __OPENCL_VERSION__ 120\n#include \"a.h\"\n";
        const std::string flat = flatten("#include \"a.h\"\n", "k.cl", {}, both);
        CHECK(flat.find("int a;") == flat.rfind("int a;"));
        CHECK(preprocessed("#define __OPENCL_VERSION__ 120\n" + flat, {}) == preprocessed(text, both));
    }
}

TEST_CASE("flatten: a guard is unknown after an include that may undefine it, once its file has ended") {
    const Headers known{{"a.h", "#ifndef A_H\n#define A_H\n#endif\n"}};
    CHECK_THROWS_AS(flatten("#include \"a.h\"\n#include <nowhere.h>\n#ifndef A_H\n#include NAME\n#endif",
                            "k.cl", {}, known, true),
                    ferry::Error);
}

TEST_CASE("flatten: a file that includes itself for ever is refused with its place") {
    const Headers endless{{"self.h", "#if N\n#include \"self.h\"\n#endif\n"}};
    try {
        flatten("\n#include \"self.h\"", "k.cl", {}, endless);
        FAIL("no error");
    } catch (const ferry::Error& error) {
        CHECK(error.log().starts_with("self.h:2: error: 'self.h' is included more than 100 levels deep"));
    }
    Headers doubling{{"h0", "int h;\n"}};
    for (int i = 1; i < 40; ++i) {
        const std::string inner = "#include \"h" + std::to_string(i - 1) + "\"\n";
        doubling.emplace("h" + std::to_string(i), inner + inner);
    }
    CHECK_THROWS_AS(flatten("#include \"h39\"", "k.cl", {}, doubling), ferry::Error);
}

} // namespace translate_flatten_test
