// SPDX-License-Identifier: Apache-2.0
// The preprocessor's tokens, its bytes and its limits.
#include "translate_preprocess_fixture.hpp"

namespace translate_lexer_test {

using namespace ferry::translate;
using namespace ferry::translate::testing;

TEST_CASE("lexer: numbers and punctuators") {
    CHECK(tokens("1.0f 0x1p-3 1.e+5 .5 1..2 0xe+1 1e+1a 12u+3") ==
          "1.0f 0x1p-3 1.e+5 .5 1..2 0xe+1 1e+1a 12u + 3");
    CHECK(tokens("a+++++b") == "a ++ ++ + b");
    CHECK(tokens("x->y<<=z>>=w...&&||^=%=!=.. .") == "x -> y <<= z >>= w ... && || ^= %= != . . .");
    CHECK(tokens("<:1:> <%2%> a<::b") == "[ 1 ] { 2 } a [ : b");
    CHECK(tokens("%:define A 5\n%:define c(x,y) x%:%:y\nc(A,)c(,1)") == "5 1");
    CHECK(tokens("L'a' L\"b\" L c 'd' \"e\\\"f\" '\\''") == "L'a' L\"b\" L c 'd' \"e\\\"f\" '\\''");
    CHECK(tokens("\xC3\xA4x \"\xE2\x82\xAC\"") == "\xC3\xA4x \"\xE2\x82\xAC\"");
}

TEST_CASE("lexer: splices, comments, ends of lines") {
    CHECK(tokens("#de\\\nfine A\\\n 1\\\n2\nA i\\\nf \"a\\\nb\" +\\\n+ /\\\n/ gone \\\n too\nx") ==
          "12 if \"ab\" ++ x");
    CHECK(tokens("/\\\n* c *\\\n/ x") == "x");
    CHECK(tokens("a/**/b/*\n*//***/c//") == "a b c");
    CHECK(tokens("\"/*\" '//' /*\"*/ x //\"") == "\"/*\" '//' x");
    CHECK(tokens("#define A 1\r\n#define B \\\r\n 2\r\n#if A\r\nA B\r\n#endif\r\n") == "1 2");
    CHECK(tokens("a \\  \nb") == "a b");
    CHECK(tokens("\xEF\xBB\xBF#define A 1\nA") == "1");
    CHECK(tokens("") == "");
    CHECK(tokens("\\\n") == "");
    CHECK(tokens("x\\\n") == "x");
    CHECK(tokens("#define A 1") == "");
    CHECK(tokens("#if 1\nx\n#endif") == "x");
    CHECK(has(said("x /* a\n */ # define"), "main.cl:2:5: error: '#' means nothing here"));
}

TEST_CASE("lexer: unterminated tokens") {
    CHECK(said("x\n /* c\n\n").find("main.cl:2:2: error: this comment is never closed") == 0);
    CHECK(has(said("#if 0\n/*\n#endif\n"), "main.cl:2:1: error: this comment is never closed"));
    CHECK(has(said("/*/"), "this comment is never closed"));
    CHECK(has(said("/*"), "this comment is never closed"));
    CHECK(has(said("a \"b\nc\""), "main.cl:1:3: error: this string has no closing \" on its line"));
    CHECK(has(said("'"), "this character has no closing '"));
    CHECK(has(said("\"\\"), "this string has no closing"));
    CHECK(has(said("''"), "this character constant is empty"));
    CHECK(has(said("#include \"x\n"), "main.cl:1:10: error: this string has no closing"));
}

TEST_CASE("lexer: bytes that are no text") {
    CHECK(has(said(std::string("a\n b\0c", 6)), "main.cl:2:3: error: the text has a control byte, 0x00"));
    CHECK(has(said("\x01"), "a control byte, 0x01"));
    CHECK(has(said(std::string("\"a\0b\"", 5)), "this string contains a NUL byte"));
    CHECK(has(said("ab\xE9z"), "main.cl:1:3: error: the byte 0xE9 is not UTF-8"));
    CHECK(has(said("\"\xC0\x80\""), "main.cl:1:2: error: the byte 0xC0 is not UTF-8"));
    CHECK(has(said("\xED\xA0\x80"), "not UTF-8"));
    CHECK(has(said("\xF4\x90\x80\x80"), "not UTF-8"));
    CHECK(has(said("\xE2\x82"), "not UTF-8"));
    CHECK(has(said("a \xEF\xBB\xBFz"), "main.cl:1:3: error: a byte order mark is within the text"));
    CHECK(tokens("a // Andr\xE9\n/* \xFF */ b\n#if 0\n\xFF \x01\n#endif\n") == "a b");
    CHECK(has(said("x @ y"), "main.cl:1:3: error: '@' means nothing here"));
    CHECK(has(said("x \\ y"), "'\\' means nothing here"));
    CHECK(has(said("x # y"), "'#' means nothing here"));
    CHECK(tokens("#define drop(x)\n#define A @\ndrop(@ ` \\ #)z") == "z");
}

TEST_CASE("limits: depth of expressions and conditionals") {
    CHECK(has(said("#if " + times(100'000, "(") + "1\n#endif\n"),
              "more than 200 levels deep, which is the limit"));
    CHECK(has(said("#if " + times(100'000, "1?") + "1\n#endif\n"), "levels deep"));
    CHECK(tokens("#if " + times(150, "(") + "1" + times(150, ")") + "\nx\n#endif\n") == "x");
    CHECK(tokens("#if " + times(100'000, "!") + "1\nx\n#endif\n") == "x");
    CHECK(tokens("#if 0" + times(100'000, "+1") + "\nx\n#endif\n") == "x");
    CHECK(tokens(times(50'000, "#if 1\n") + "x\n" + times(50'000, "#endif\n")) == "x");
    CHECK(has(said(times(50'000, "#if 1\n")), "#if has no #endif"));
}

} // namespace translate_lexer_test
