// SPDX-License-Identifier: Apache-2.0
// Macros: definition, calls, # and ##, variadic macros, predefined macros.
#include "translate_preprocess_fixture.hpp"

namespace translate_preprocess_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

TEST_CASE("preprocess: object-like macros") {
    CHECK(tokens("#define A 1\nA AA A") == "1 AA 1");
    CHECK(tokens("#define A B\n#define B C\n#define C 7\nA") == "7");
    CHECK(tokens("#define A\nx A y") == "x y");
    CHECK(tokens("#define F (x)\nF(1)") == "( x ) ( 1 )");
    CHECK(tokens("#define A 1\n#undef A\n#undef never\nA") == "A");
    CHECK(tokens("#define A #b ##c\n") == "");
    CHECK(Run("#define A x#y\nA;").text == "x # y ;");
}

TEST_CASE("preprocess: a macro is not expanded within itself") {
    CHECK(tokens("#define a a\na") == "a");
    CHECK(tokens("#define a b\n#define b a\na b") == "a b");
    CHECK(tokens("#define f(x) x f\nf(1)(2)") == "1 f ( 2 )");
    CHECK(tokens("#define f(x) f(x + 1)\nf(f(2))") == "f ( f ( 2 + 1 ) + 1 )");
    CHECK(tokens("#define f(x) x + f\n#define g f(1)\ng(2)") == "1 + f ( 2 )");
    CHECK(tokens("#define id(x) x\n#define self self + id(self)\nself") == "self + self");
    CHECK(tokens("#define id(x) x\nid(id)(3) id(id(id)(4))") == "id ( 3 ) id ( 4 )");
    CHECK(tokens("#define foo foo a\n#define bar(x) x x\nbar(foo)") == "foo a foo a");
    CHECK(tokens("#define NIL(x) x\n#define G0(a) NIL(G1)(a)\n#define G1(a) NIL(G0)(a)\nG0(7)") ==
          "G0 ( 7 )");
}

TEST_CASE("preprocess: function-like macros") {
    CHECK(tokens("#define f(x, y) y x\nf(1, 2) f((1, 2), [3]) f(,) f( a b , )") == "2 1 [ 3 ] ( 1 , 2 ) a b");
    CHECK(tokens("#define f() z\nf() f( ) f(\n) f") == "z z z f");
    CHECK(tokens("#define f(x) [x]\nf() f(f(1)) f (2)") == "[ ] [ [ 1 ] ] [ 2 ]");
    CHECK(tokens("#define f(x) <x>\nf\nf /* */\n\n(1) +f") == "f < 1 > + f");
    CHECK(tokens("#define f(x) <x>\n#define g f\ng(1) g\n(2)") == "< 1 > < 2 >");
    CHECK(tokens("#define f(x) <x>\nf(a\nb\n  c)") == "< a b c >");
    CHECK(tokens("#define LP (\n#define f(x) <x>\nf LP 1 )") == "f ( 1 )");
    CHECK(tokens("#define f(x) <x>\n#define g f(\ng 5)") == "< 5 >");
    CHECK(tokens("#define comma ,\n#define f(x) <x>\n#define two(x, y) y-x\nf(1 comma 2) f(two(1, 2))") ==
          "< 1 , 2 > < 2 - 1 >");
}

TEST_CASE("preprocess: directives in a call's arguments") {
    CHECK(tokens("#define f(x) <x>\nf(1\n#define B 2\nB\n#undef B\nB)") == "< 1 B B >");
    CHECK(tokens("#define f(x) <x>\nf(\n#undef f\n#define f(x) {x}\n1) f(2)") == "< 1 > { 2 }");
    CHECK(tokens("#define f(x) <x>\nf(a\n#if 0\n, nothing (\n#else\nb\n#endif\n)") == "< a b >");
    CHECK(tokens("#define f(x) <x>\nf\n#pragma p\n(1)") == "f [p] ( 1 )");
}

TEST_CASE("preprocess: # makes strings") {
    const std::string s = "#define s(x) #x\n#define xs(x) s(x)\n#define N 3\n";
    CHECK(tokens(s + "s() s( ) s(a) s( a  b ) s(a\nb) s(a/* */b)") == R"("" "" "a" "a b" "a b" "a b")");
    CHECK(tokens(s + "s(N) xs(N) xs(s(N))") == R"--("N" "3" "\"N\"")--");
    CHECK(tokens(s + R"(s("a\n") s('"') s('\\') s(L"x" L'\0'))") ==
          R"("\"a\\n\"" "'\"'" "'\\\\'" "L\"x\" L'\\0'")");
    CHECK(tokens(s + "s(1.0f+.5e-3) s(a<<=b) s(- -x)") == R"("1.0f+.5e-3" "a<<=b" "- -x")");
    CHECK(tokens(s + "s(@) s(a @ `b` \\n)") == R"("@" "a @ `b` \n")");
    CHECK(tokens("#define EMPTY\n#define s(x) #x\n#define xs(x) s(x)\nxs(a EMPTY-b) xs(a EMPTY b EMPTY)") ==
          R"("a -b" "a b")");
    CHECK(has(said(s + "s(\\)"), "'#' makes no valid string"));
}

TEST_CASE("preprocess: ## joins tokens") {
    const std::string g = "#define g(x, y) x ## y\n#define xg(x, y) g(x, y)\n#define N 3\n#define aN 8\n";
    CHECK(tokens(g + "g(a, b) g(a, 1) g(1, .5) g(1, e) g(., 5) g(<, <=) g(-, >)") ==
          "ab a1 1.5 1e .5 <<= ->");
    CHECK(tokens(g + "g(a, N) xg(a, N) g(N, N) xg(N, N)") == "8 a3 NN 33");
    CHECK(tokens(g + "g(,) g(a,) g(,a) g(x y, z w) [g(,)]") == "a a x yz w [ ]");
    CHECK(tokens(g + "g(L, 'x') g(L, \"x\") g(x, g)(c, d)") == "L'x' L\"x\" cd");
    CHECK(tokens("#define t(x, y, z) x##y##z\nt(1,2,3) t(,2,3) t(1,,3) t(1,2,) t(,,) t(,2,)|") ==
          "123 23 13 12 2 |");
    CHECK(tokens("#define h # ## #\n#define s(x) #x\n#define xs(x) s(x)\nxs(h)") == "\"##\"");
    CHECK(tokens("#define s(x) x##_t #x\ns(u) s()") == "u_t \"u\" _t \"\"");
    CHECK(tokens("#define f(x) <x>\n#define c(a, b) a##b\nc(f, )(1) c(, f)(2)") == "< 1 > < 2 >");
    CHECK(tokens("#define CAT(a, ...) a ## __VA_ARGS__\nCAT(x, y z, w) CAT(x,)") == "xy z , w x");
    CHECK(has(said(g + "g(+, x)"), "main.cl:5:1: error: pasting '+' and 'x' does not give a valid token"));
    CHECK(has(said(g + "g(/, /)"), "pasting '/' and '/'"));
    CHECK(has(said(g + "g(\"a\", \"b\")"), "pasting"));
}

TEST_CASE("preprocess: variadic macros") {
    CHECK(tokens("#define v(...) <__VA_ARGS__>\nv() v(1) v(1, 2,3) v((,),)") ==
          "< > < 1 > < 1 , 2 , 3 > < ( , ) , >");
    CHECK(tokens("#define v(a, ...) a:__VA_ARGS__\nv(1) v(1,) v(1, 2, 3)") == "1 : 1 : 1 : 2 , 3");
    CHECK(tokens("#define v(...) #__VA_ARGS__\nv(a, b ,c) v()") == R"("a, b ,c" "")");
    CHECK(tokens("#define p(f, ...) printf(f, ##__VA_ARGS__)\np(1) p(1,) p(1, 2) p(1, 2, 3)") ==
          "printf ( 1 ) printf ( 1 , ) printf ( 1 , 2 ) printf ( 1 , 2 , 3 )");
    CHECK(tokens("#define p(...) (f, ##__VA_ARGS__)\np() p(1) p(,)") == "( f ) ( f , 1 ) ( f , , )");
    CHECK(tokens("#define N 5\n#define p(f, ...) (f, ##__VA_ARGS__)\np(N, N, p(N))") ==
          "( 5 , 5 , p ( 5 ) )");
    CHECK(tokens("#define p(f, a...) (f, ##a) #a\np(1) p(1, 2, 3)") == R"(( 1 ) "" ( 1 , 2 , 3 ) "2, 3")");
    CHECK(tokens("#define COUNT_(a, b, c, n, ...) n\n#define COUNT(...) COUNT_(__VA_ARGS__, 3, 2, 1)\n"
                 "COUNT(x) COUNT(x, y) COUNT(x, y, z)") == "1 2 3");
    CHECK(has(said("#define v(a, b, ...) a\nv(1)"), "macro 'v' takes at least 2 arguments, 1 was given"));
    CHECK(has(said("#define v(a) __VA_ARGS__\n"),
              "warning: '__VA_ARGS__' means something in a macro with '...'"));
}

TEST_CASE("preprocess: wrong calls") {
    CHECK(has(said("#define ADD(a, b) a+b\nint x = ADD(1, 2, 3);"),
              "main.cl:2:9: error: macro 'ADD' takes 2 arguments, 3 were given"));
    CHECK(has(said("#define ADD(a, b) a+b\nADD()"), "macro 'ADD' takes 2 arguments, 1 was given"));
    CHECK(has(said("#define one(a) a\none(1, 2)"), "macro 'one' takes 1 argument, 2 were given"));
    CHECK(has(said("#define none() 1\nnone(1)"), "macro 'none' takes 0 arguments, 1 was given"));
    CHECK(has(said("#define f(x) x\n  f(1, (2)\n"),
              "main.cl:2:3: error: the call of macro 'f' has no closing ')'"));
    CHECK(has(said("#define f(x) x\n#if f(1\n#endif\n"), "main.cl:2:5: error: the call of macro 'f'"));
    CHECK(Run("#define f(x) x\nf(1,2) ok f(3)").text == "ok 3");
}

TEST_CASE("preprocess: wrong definitions") {
    CHECK(has(said("#define\n"), "main.cl:1:8: error: #define names no macro"));
    CHECK(has(said("#define 3 4\n"), "a macro's name must be an identifier, not '3'"));
    CHECK(has(said("#define defined 1\n"), "'defined' cannot be the name of a macro"));
    CHECK(has(said("#define __LINE__ 1\n"), "'__LINE__' is predefined"));
    CHECK(has(said("#undef __FILE__\n"), "'__FILE__' is predefined"));
    CHECK(has(said("#define f(a, a) 1\n"), "the macro 'f' has two parameters 'a'"));
    CHECK(has(said("#define f(a b) 1\n"),
              "',' or ')' is expected behind a parameter of the macro 'f', not 'b'"));
    CHECK(has(said("#define f(a, ) 1\n"), "')' cannot be a parameter of the macro 'f'"));
    CHECK(has(said("#define f(a\n"),
              "main.cl:1:10: error: the parameters of the macro 'f' have no closing ')'"));
    CHECK(has(said("#define f(..., a) 1\n"), "'...' must be the last parameter"));
    CHECK(has(said("#define f(x) # y\n"), "'#' in the macro 'f' must precede a parameter"));
    CHECK(has(said("#define f(x) ## x\n"), "'##' cannot be the first thing in the macro 'f'"));
    CHECK(has(said("#define f(x) x ##\n"), "'##' cannot be the last thing in the macro 'f'"));
    CHECK(has(said("#define A+1\n"), "warning: a blank is missing between the macro 'A' and its body"));
    CHECK(has(said("#define f(" + times(2000, "x,") + ")\n"), "two parameters 'x'"));
}

TEST_CASE("preprocess: a macro that is defined twice") {
    CHECK(said("#define A 1 + 2\n#define A   1 +  2 // same\n").empty());
    CHECK(said("#define f(x) x + 1\n#define f(x) x /* */ + 1\n").empty());
    CHECK(
        has(said("#define A 1\n\n#define A 2\nA"),
            "main.cl:3:9: warning: macro 'A' becomes something else than it was defined to be at main.cl:1"));
    CHECK(has(said("#define A 1+2\n#define A 1 +2\n"), "warning"));
    CHECK(has(said("#define f(x) x\n#define f(y) y\n"), "warning"));
    CHECK(has(said("#define f(x) x\n#define f (x) x\n"), "warning"));
    CHECK(Run("#define A 1\n#define A 2\nA").text == "2");
}

TEST_CASE("preprocess: predefined macros, and options") {
    CHECK(tokens("__LINE__\n__LINE__ __FILE__\n__COUNTER__ __COUNTER__ __COUNTER__") ==
          "1 2 \"main.cl\" 0 1 2");
    CHECK(tokens("#define f(x) x __LINE__\nf(\n1\n)") == "1 2");
    CHECK(tokens("#define c(a, b) a##b\n#define x(a, b) c(a, b)\nx(v, __LINE__)") == "v3");
    CHECK(tokens("__DATE__ __TIME__ __STDC__ __OPENCL_VERSION__") ==
          "__DATE__ __TIME__ __STDC__ __OPENCL_VERSION__");
    PreprocessOptions options;
    options.defines = {"A", "B=", "C=1 == 2", "F(x)=x==C", "D=old", "D=new", "E=\\", "G=/*"};
    CHECK(has(said("", options), "<definition of G>:1:11: error: this comment is never closed"));
    options.defines.pop_back();
    CHECK(tokens("A [B] F(3) D", options) == "1 [ ] 3 == 1 == 2 new");
    CHECK(has(said("#define A 2\n", options), "at <definition of A>:1"));
    options.defines = {"A=1\n#error no"};
    CHECK(has(said("", options), "the definition of 'A' has more than one line"));
}

TEST_CASE("preprocess: the place of a token") {
    const Run run("#define f(x) (x)\n#define g f(1)\n  g f(\n2) y \\\nz\n");
    REQUIRE(run.text == "( 1 ) ( 2 ) y z");
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(run.tokens[i].at.line == 3);
        CHECK(run.tokens[i].at.column == 3);
        CHECK(run.tokens[i + 3].at.line == 3);
        CHECK(run.tokens[i + 3].at.column == 5);
    }
    CHECK(run.tokens[6].at.line == 4);
    CHECK(run.tokens[6].at.column == 4);
    CHECK(run.tokens[7].at.line == 5);
    CHECK(run.tokens[7].at.column == 1);
    CHECK(run.tokens[0].line_start);
    CHECK_FALSE(run.tokens[1].line_start);
}

TEST_CASE("preprocess: printed tokens read as the same tokens") {
    const auto printed = [](const std::string& text) { return print(Run(text).tokens); };
    CHECK(printed("#define N -1\n#define E\nx = -N+E+y;\n") == "x = - -1+ +y;\n");
    CHECK(printed("#define f(x) x\na f(b)c 1 f(.)f(5) f(1)f(x) L f('c') <f(<)f(=)") ==
          "a b c 1 . 5 1 x L 'c' < < =\n");
    CHECK(printed("a\n#pragma unroll\n  b _Pragma(\"p\") c\n") == "a\n#pragma unroll\nb\n#pragma p\nc\n");
    CHECK(printed("#define E\nE int x;\nint\ny;") == "int x;\nint\ny;\n");
}

} // namespace translate_preprocess_test
