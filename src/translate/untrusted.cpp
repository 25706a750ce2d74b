// SPDX-License-Identifier: Apache-2.0
#include "untrusted.hpp"

#include "annotations.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <string_view>

namespace ferry::translate {
namespace {

constexpr std::array<std::string_view, 5> assembly_words{"asm", "__asm", "__asm__", "__attribute",
                                                         "__declspec"};

class Check {
public:
    Check(const std::vector<Token>& tokens, Diagnostics& diagnostics)
        : tokens_(tokens), diagnostics_(diagnostics) {}

    void run() {
        for (std::size_t i = 0; i < tokens_.size() && !diagnostics_.full(); ++i) {
            const Token& token = tokens_[i];
            if (token.is_identifier() &&
                std::find(assembly_words.begin(), assembly_words.end(), token.text) != assembly_words.end()) {
                refuse(token, translate::quoted(token.text));
            } else if (token.is("[") && follows(i, "[")) {
                refuse(token, "'[['");
            } else if (token.is("#") || token.is("##") || (token.is("%") && follows(i, ":"))) {
                refuse(token, "'#'"); // A driver could read it as a directive.
            } else if (has_trigraph(i)) {
                refuse(token, "'\?\?', with which trigraphs begin,");
            }
        }
    }

private:
    bool follows(std::size_t i, std::string_view text) const {
        return i + 1 < tokens_.size() && tokens_[i + 1].is(text);
    }
    // Some drivers read \?\?= as #, also in strings.
    bool has_trigraph(std::size_t i) const {
        const Token& token = tokens_[i];
        const bool literal = token.kind == TokenKind::string || token.kind == TokenKind::character;
        return (token.is("?") && follows(i, "?")) ||
               (literal && token.text.find("\?\?") != std::string_view::npos);
    }
    void refuse(const Token& token, const std::string& what) {
        diagnostics_.error(token.at,
                           what + " may not stand in a text that is not trusted (BuildOptions::untrusted)");
    }

    const std::vector<Token>& tokens_;
    Diagnostics& diagnostics_;
};

// For OpenCL drivers; read_annotations() drops them.
std::string pragmas_in(const std::vector<Token>& tokens) {
    std::string text;
    for (const Token& token : tokens) {
        if ((token.kind == TokenKind::pragma && token.text.starts_with("OPENCL EXTENSION ")) ||
            forbids_contraction(token)) {
            text.append("#pragma ").append(token.text).append("\n");
        }
    }
    return text;
}

// Like print(), with the lines of the text itself at their original numbers.
std::string printed(const std::vector<Token>& tokens, std::uint32_t main, std::string text) {
    auto line = static_cast<std::uint32_t>(1 + std::count(text.begin(), text.end(), '\n'));
    const Token* before = nullptr;
    for (const Token& token : tokens) {
        const bool pragma = token.kind == TokenKind::pragma;
        if (token.kind == TokenKind::end) {
            break;
        }
        bool starts = before != nullptr && (pragma || before->kind == TokenKind::pragma || token.line_start);
        for (; starts || (token.at.file == main && line < token.at.line && token.line_start); ++line) {
            text += '\n';
            starts = false;
        }
        if (before != nullptr && text.back() != '\n' && (token.space_before || needs_space(*before, token))) {
            text += ' ';
        }
        text.append(pragma ? "#pragma " : "").append(token.text);
        before = &token;
    }
    return text + '\n';
}

} // namespace

std::string expand_untrusted(const std::string& name, const std::string& text, PreprocessOptions options) {
    Files files;
    Diagnostics diagnostics;
    const std::uint32_t main = files.add(name, text);
    options.untrusted = true;
    std::vector<Token> tokens = preprocess(files, main, options, diagnostics);
    const std::string pragmas = pragmas_in(tokens);
    read_annotations(tokens, files, diagnostics);
    Check(tokens, diagnostics).run();
    if (diagnostics.failed()) {
        const std::string log = diagnostics.text(files);
        throw Error(Code::build_failed, "the text is not taken, because it is not trusted\n" + log)
            .with_log(log);
    }
    return printed(tokens, main, pragmas);
}

} // namespace ferry::translate
