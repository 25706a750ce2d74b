// SPDX-License-Identifier: Apache-2.0
#include "translate/flatten.hpp"
#include "translate/translate.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

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
};

std::string preprocessed(const std::string& text, const Headers& known) {
    Request request;
    request.name = "k.cl";
    request.text = text;
    for (const auto& [name, contents] : known) {
        request.preprocess.headers.push_back({name, contents});
    }
    const Unit unit(request);
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
             "/*\n#include \"ok.h\"\n*/ int l = __LINE__;", "// \\\n#include \"ok.h\"\nint l = __LINE__;",
             "/* a\n*/ #include \"ok.h\" /* b\n c */\nint l = __LINE__;",
             "char c[] = \"/*\";\n#include \"ok.h\"\nint d = '\"';\n#include \"ok.h\"\n// */",
             "#include \"lib.h\"\n#include \"lib.h\"\nint l = __LINE__;",
             "#include \"ring_a.h\"\nint l = __LINE__;",
             "#include \"once.h\"\n#include \"once.h\"\n#include \"twice.h\"\n#include \"twice.h\"",
             "#if 0\n#include \"nowhere.h\"\n#include NOTHING\n#endif\n#include <ok.h>\r\nint l = "
             "__LINE__;\r\n",
             "\xEF\xBB\xBF#include \"marked.h\"\n", "#includes\n"}) {
        CAPTURE(text);
        if (text.starts_with("#includes")) {
            CHECK(flatten(text, "k.cl", {}, headers).find("#includes") != std::string::npos);
            continue;
        }
        CHECK(preprocessed(flatten(text, "k.cl", {}, headers), {}) == preprocessed(text, headers));
    }
}

TEST_CASE("flatten: a file that a macro names is refused where all must be put in") {
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
