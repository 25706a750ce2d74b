// SPDX-License-Identifier: Apache-2.0
// All preprocessor directives except #include.
#include "translate/condition.hpp"
#include "translate_preprocess_fixture.hpp"

namespace translate_directives_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

namespace {

bool holds(const std::string& expression) {
    return tokens("#if " + expression + "\n1\n#else\n0\n#endif\n") == "1";
}

std::string wrong(const std::string& expression) {
    return said("#if " + expression + "\n#endif\n");
}

} // namespace

TEST_CASE("directives: a byte after a backslash is not negative, even if the processor's char is signed") {
    CHECK(ferry::translate::character_value("L'\\\xe9'") == 0xe9);
}

TEST_CASE("directives: nested conditionals") {
    CHECK(tokens("#define A\n#ifdef A\n1\n#ifndef A\n2\n#else\n3\n#endif\n4\n#else\n5\n#endif\n6") ==
          "1 3 4 6");
    CHECK(tokens("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif 1\nc\n#elif 1\nd\n#else\ne\n#endif") == "c");
    CHECK(tokens("#if 1\na\n#elif 1/0 ( garbage\nb\n#else\nc\n#endif") == "a");
    CHECK(tokens("#ifdef x\na\n#elifndef x\nb\n#elifdef x\nc\n#endif") == "b");
    CHECK(tokens("#if 0\nisn't \"this # @ garbage\n#error no\n#foo\n#if (\n# else\n#include "
                 "<none>\n#endif\n#endif\nok") == "ok");
    CHECK(tokens("#if 0\n/*\n#endif\n*/ a\n#endif\nb") == "b");
    CHECK(tokens("  #  if/**/1 // c\n a\n # /* x\n */ endif\nb") == "a b");
    CHECK(tokens("#\n# // null directive\na") == "a");
    CHECK(Run("#define HASH #\nHASH define A 1\nA").text == "# define A 1 A");
}

TEST_CASE("directives: queries of the compiler") {
    CHECK(holds("defined __has_include && defined(__has_attribute) && defined __has_builtin"));
    CHECK(tokens("#ifdef __has_feature\na\n#endif\n#ifndef __has_extension\nb\n#endif\n") == "a");
    CHECK(tokens("#ifndef __has_builtin\n#define __has_builtin(x) 1\n#endif\n#if "
                 "__has_builtin(__builtin_x)\na\n#else\nb\n"
                 "#endif\n") == "b");
    CHECK(tokens("#define __has_builtin(x) x\n#if __has_builtin(1)\na\n#endif\n") == "a");
    CHECK(holds("__has_attribute(packed)"));
    CHECK(holds("__has_attribute(__packed__) && __has_attribute ( reqd_work_group_size )"));
    CHECK(!holds("__has_attribute(vector_size)")); // refused
    CHECK(!holds(
        "__has_attribute(nonsense) || __has_builtin(__builtin_amdgcn_ds_swizzle) || __has_feature(x)"));
    CHECK(!holds("__has_include(<nowhere/at/all.h>) || __has_include(\"nowhere.h\")"));
    CHECK(holds("!__has_include(<nowhere.h>) && (1 + __has_attribute(aligned)) == 2"));
    CHECK(holds("__has_include(</etc/passwd>) == __has_include(\"/etc/passwd\")"));
    CHECK(has(wrong("__has_attribute"), "'__has_attribute' needs '(' behind it"));
    CHECK(has(wrong("__has_attribute(packed"), "'__has_attribute(' has no closing ')'"));
    CHECK(has(wrong("__has_builtin()"), "'__has_builtin' needs a name in its parentheses"));
    CHECK(has(wrong("__has_builtin(3)"), "'__has_builtin' needs a name in its parentheses"));
    CHECK(has(wrong("__has_include(x.h)"), "'__has_include' needs \"name\" or <name> in its parentheses"));
    CHECK(has(wrong("__has_include()"), "'__has_include' needs \"name\" or <name> in its parentheses"));
}

TEST_CASE("directives: wrong conditionals") {
    CHECK(has(said("x\n#if 1\ny\n#ifdef z\n#endif\n"), "main.cl:2:2: error: #if has no #endif"));
    CHECK(has(said("#if 0\n#if 1\n#endif\n"), "main.cl:1:2: error: #if has no #endif"));
    CHECK(has(said("#else\n"), "main.cl:1:2: error: #else without #if"));
    CHECK(has(said("#endif\n"), "#endif without #if"));
    CHECK(has(said("#elif 1\n"), "#elif without #if"));
    CHECK(has(said("#if 1\n#else\n#else\n#endif\n"),
              "main.cl:3:2: error: #else behind the #else of the #if at main.cl:1"));
    CHECK(has(said("#if 0\n#else\n#elif 1\n#endif\n"), "#elif behind the #else"));
    CHECK(has(said("#ifdef\n#endif\n"), "#ifdef needs the name of a macro"));
    CHECK(has(said("#ifndef 3\n#endif\n"), "#ifndef needs the name of a macro"));
    CHECK(has(said("#ifdef A B\n#endif C\n"), "warning: 'B' behind #ifdef is ignored"));
    CHECK(has(said("#frobnicate\n"), "main.cl:1:2: error: there is no directive #frobnicate"));
}

TEST_CASE("directives: values of expressions") {
    CHECK(holds("1"));
    CHECK_FALSE(holds("0"));
    CHECK_FALSE(holds("undefined_name"));
    CHECK(holds("2 + 3 * 4 == 14 && (2 + 3) * 4 == 20"));
    CHECK(holds("10 - 4 - 3 == 3 && 100 / 10 / 5 == 2 && 7 % 4 == 3"));
    CHECK(holds("1 << 4 == 16 && -16 >> 2 == -4 && (1 | 6 ^ 2 & 3) == 5"));
    CHECK(holds("1 ? 0 ? 0 : 1 : 0"));
    CHECK(holds("0 || 1 && !0 && ~0 == -1 && - - 1 == +1 && !!7 == 1"));
    CHECK(holds("0 && 1 / 0 || 1 || 1 % 0"));
    CHECK(holds("1 ? 1 : 1 / 0"));
    CHECK(holds("-1 > 0u && -1 < 0 && (0 ? -1 : 0u) + -1 > 0"));
    CHECK(holds("0xFFFFFFFFFFFFFFFF == -1 && 18446744073709551615u > 0 && 0x7fffffffffffffffLL + 1 < 0"));
    CHECK(holds("-9223372036854775807 - 1 < 0 && (-9223372036854775807 - 1) / -1 < 0"));
    CHECK(holds("0x1F == 31 && 017 == 15 && 0b101 == 5 && 10uLL == 10 && 10lu == 10"));
    CHECK(
        holds("'a' == 97 && '\\n' == 10 && '\\x41' == 'A' && '\\101' == 'A' && '\\377' < 0 && L'\\377' > 0"));
    CHECK(holds("'ab' == 'a' * 256 + 'b' && '\\'' == 39 && '\\0' == 0"));
    CHECK(holds("1 << 70 == 0 && -1 >> 70 == -1 && 8 >> -1 == 16"));
    CHECK(tokens("#define f(x) (x > 2)\n#define N 3\n#if f(N) && \\\n  N == 3\nyes\n#endif") == "yes");
}

TEST_CASE("directives: defined") {
    const std::string a = "#define A\n#define f(x) x\n";
    CHECK(
        tokens(a +
               "#if defined A && defined(A) && defined ( f ) && !defined B && defined __LINE__\n1\n#endif") ==
        "1");
    CHECK(tokens(a + "#define HAS defined(A)\n#if HAS\n1\n#endif") == "1");
    CHECK(tokens(a + "#if f(defined(B)) + 1 == 1\n1\n#endif") == "1");
    CHECK(has(wrong("defined"), "'defined' needs the name of a macro"));
    CHECK(has(wrong("defined(3)"), "'defined' needs the name of a macro"));
    CHECK(has(wrong("defined(A"), "'defined(' has no closing ')'"));
}

TEST_CASE("directives: wrong expressions") {
    CHECK(has(wrong(""), "main.cl:1:2: error: #if has no expression"));
    CHECK(has(wrong("1 +"), "the expression of #if ends where a value is expected"));
    CHECK(has(wrong("1 2"), "main.cl:1:7: error: '2' is not expected here in #if"));
    CHECK(has(wrong("(1"), "main.cl:1:5: error: this '(' in #if has no closing ')'"));
    CHECK(has(wrong("1)"), "')' is not expected here"));
    CHECK(has(wrong("1 / 0"), "main.cl:1:7: error: division by zero in #if"));
    CHECK(has(wrong("1 % (2 - 2)"), "division by zero"));
    CHECK(has(wrong("1 ? 2"), "'?' in #if has no ':'"));
    CHECK(has(wrong("1.0"), "'1.0' in #if is no integer"));
    CHECK(has(wrong("1z"), "'1z' in #if is no number"));
    CHECK(has(wrong("08"), "'08' in #if is no number"));
    CHECK(has(wrong("0x"), "'0x' in #if is no number"));
    CHECK(has(wrong("99999999999999999999"), "does not fit 64 bits"));
    CHECK(has(wrong("\"s\""), "a value is expected in #if, not '\"s\"'"));
    CHECK(has(wrong("a = 1"), "'=' is not expected here"));
    CHECK(has(wrong("1, 2"), "',' is not expected here"));
    CHECK(has(wrong("missing(1)"), "'missing' is called in #if, but no such macro is defined"));
    CHECK(has(said("#if 0\n#elif (\n#endif\n"), "main.cl:2:2: error: the expression of #elif ends"));
}

TEST_CASE("directives: #line and line markers") {
    CHECK(tokens("#line 100\n__LINE__ __FILE__\n__LINE__") == "100 \"main.cl\" 101");
    CHECK(tokens("#line 7 \"a \\\"b\\\".cl\"\n__LINE__ __FILE__") == "7 \"a \\\"b\\\".cl\"");
    CHECK(tokens("#define L 40 + 2\n#define M 50 \"m\"\n#line M\n__LINE__ __FILE__") == "50 \"m\"");
    CHECK(tokens("# 33 \"gen.cl\" 1 3\n__LINE__ __FILE__") == "33 \"gen.cl\"");
    CHECK(tokens("#line 010\n__LINE__") == "10");
    CHECK(tokens("#line 3 \"a\xFF.cl\"\n__LINE__\n# 9 \"\xC3(.cl\"\n__LINE__") == "3 9"); // any bytes
    CHECK(has(said("#line 3 \"a\xFF.cl\"\n\"\xFF\""), "error: the byte 0xFF is not UTF-8"));
    CHECK(Run("#line 100 \"x\"\n @").said.find("main.cl:2:2") == 0);
    CHECK(has(said("#line x\n"), "#line needs a number from 0 to 2147483647, not 'x'"));
    CHECK(has(said("#line\n"), "#line needs a number"));
    CHECK(has(said("#line 2147483648\n"), "not '2147483648'"));
    CHECK(has(said("#line 1 x\n"), "#line needs a file's name in quotes behind the number, not 'x'"));
}

TEST_CASE("directives: #error and #warning") {
    CHECK(said("#error it isn't  \"right\n").find("main.cl:1:2: error: #error it isn't  \"right\n") == 0);
    CHECK(has(said("#error a  b /* c */ d // e\n"), "error: #error a b d\n"));
    CHECK(said("\n#warning old\n").find("main.cl:2:2: warning: #warning old") == 0);
    CHECK(said("#error").find("main.cl:1:2: error: #error") == 0);
    CHECK_FALSE(Run("#warning w\n").diagnostics.failed());
}

TEST_CASE("directives: pragmas stay") {
    CHECK(tokens("a\n#pragma  x   y /* c */ z // d\nb") == "a [x y z] b");
    CHECK(tokens("#define N 4\n#pragma unroll N\n_Pragma(\"unroll N\") x") == "[unroll 4] [unroll 4] x");
    CHECK(tokens("#define cl_khr_fp64 1\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n") ==
          "[OPENCL EXTENSION cl_khr_fp64 : enable]");
    CHECK(tokens("#define P(x) _Pragma(#x) y\nP(unroll (8)) P(m \"s\")") == "[unroll (8)] y [m \"s\"] y");
    CHECK(tokens("#pragma isn't C\nx") == "[isn 't C] x");
    CHECK(tokens("#pragma\nx") == "[] x");
    CHECK(has(said("_Pragma(x)"), "_Pragma needs one string in parentheses"));
    CHECK(has(said("_Pragma"), "_Pragma needs one string"));
    CHECK(has(said("_Pragma(\"x \\\\\")\ny"), "a pragma cannot end with '\\'"));
    const Run run("x;\n  #pragma unroll\nfor");
    CHECK(run.tokens[2].kind == TokenKind::pragma);
    CHECK(run.tokens[2].at.line == 2);
    CHECK(run.tokens[2].at.column == 3);
    CHECK(run.tokens[3].line_start);
}

} // namespace translate_directives_test
