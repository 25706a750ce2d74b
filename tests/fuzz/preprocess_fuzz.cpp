// SPDX-License-Identifier: Apache-2.0
// Input: any bytes. The first part is the main file. The part after a line "@@" is the header "h", and the
// part after another such line is the header "g". Checks that the result is well formed, and that it gives
// the same tokens after it was printed and read again.
#include "translate/preprocess.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace ferry::translate;

namespace {

void require(bool condition, const char* what, const std::string& text) {
    if (!condition) {
        std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
        std::abort();
    }
}

PreprocessOptions small_options() {
    PreprocessOptions options;
    options.limits.tokens = 3'000;
    options.limits.made_bytes = 1u << 16;
    options.limits.source_bytes = 1u << 20;
    options.limits.includes = 50;
    return options;
}

std::vector<std::string> parts(std::string text) {
    std::vector<std::string> result;
    for (std::size_t at = 0; result.size() < 2 && (at = text.find("\n@@\n")) != std::string::npos;) {
        result.push_back(text.substr(0, at + 1));
        text.erase(0, at + 4);
    }
    result.push_back(std::move(text));
    return result;
}

void check_tokens(const Files& files, const std::vector<Token>& tokens, const std::string& text) {
    require(!tokens.empty() && tokens.back().kind == TokenKind::end, "no end", text);
    for (const Token& token : tokens) {
        require(token.at.file < files.size() && token.mark == 0, "bad token", text);
        require(token.kind == TokenKind::end || token.kind == TokenKind::pragma || !token.text.empty(),
                "empty token", text);
    }
}

void check_again(const std::vector<Token>& tokens, const std::string& text) {
    const std::string printed = print(tokens);
    Files files;
    Diagnostics diagnostics;
    PreprocessOptions options = small_options();
    options.limits.tokens *= 2;
    const std::vector<Token> again = preprocess(files, files.add("printed", printed), options, diagnostics);
    require(!diagnostics.failed(), "the printed text fails",
            text + "\n-->\n" + printed + diagnostics.text(files));
    std::size_t i = 0;
    std::size_t k = 0;
    for (;; ++i, ++k) {
        while (i < tokens.size() && tokens[i].kind == TokenKind::pragma) {
            ++i;
        }
        while (k < again.size() && again[k].kind == TokenKind::pragma) {
            ++k;
        }
        if (i == tokens.size() || k == again.size()) {
            break;
        }
        require(tokens[i].kind == again[k].kind && tokens[i].text == again[k].text,
                "the printed text reads as other tokens", text + "\n-->\n" + printed);
    }
    require(i == tokens.size() && k == again.size(), "the printed text has more or fewer tokens",
            text + "\n-->\n" + printed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::vector<std::string> texts = parts(text);
    Files files;
    Diagnostics diagnostics;
    PreprocessOptions options = small_options();
    options.defines = {"D=1", "F(a,b)=a##b #a b"};
    for (std::size_t i = 1; i < texts.size(); ++i) {
        options.headers.push_back({i == 1 ? "h" : "g", texts[i]});
    }
    const std::vector<Token> tokens = preprocess(files, files.add("main", texts[0]), options, diagnostics);
    check_tokens(files, tokens, text);
    static_cast<void>(diagnostics.text(files));
    if (!diagnostics.failed()) {
        check_again(tokens, text);
    }
    return 0;
}
