// SPDX-License-Identifier: Apache-2.0
#include "untrusted.hpp"

#include <ferry/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ferry::opencl_c {
namespace {

using translate::Token;
using translate::TokenKind;

/// One token in each line.
std::string in_lines(const std::vector<Token>& tokens) {
    std::string text;
    for (const Token& token : tokens) {
        text.append(token.kind == TokenKind::pragma ? "#pragma " : "").append(token.text).append("\n");
    }
    return text;
}

/// Expands the macros that drivers define. Each token gets the place of the one in `tokens` that it comes
/// from. `origins` gets the index of that one.
std::vector<Token> with_driver_macros(const std::vector<Token>& tokens, const Options& options,
                                      translate::Files& files, translate::Diagnostics& diagnostics,
                                      std::vector<std::size_t>& origins) {
    translate::PreprocessOptions preprocess;
    preprocess.predefined = predefined_macros(options.fp64, options.fp16, options.target);
    preprocess.limits = options.preprocess.limits;
    preprocess.untrusted = true;
    const std::uint32_t file = files.add(options.name, in_lines(tokens));
    std::vector<Token> expanded = translate::preprocess(files, file, preprocess, diagnostics);
    for (Token& token : expanded) {
        const std::size_t origin = std::clamp<std::size_t>(token.at.line, 1, tokens.size()) - 1;
        token.line_start = tokens[origin].line_start && (origins.empty() || origins.back() != origin);
        token.at = tokens[origin].at;
        origins.push_back(origin);
    }
    return expanded;
}

/// "OPENCL EXTENSION name : behaviour", and nothing else.
bool is_plain_extension(std::string_view pragma) {
    constexpr std::string_view separators = " \t:";
    std::vector<std::string_view> words;
    for (std::size_t at = pragma.find_first_not_of(separators); at != std::string_view::npos;) {
        const std::size_t end = std::min(pragma.find_first_of(separators, at), pragma.size());
        words.push_back(pragma.substr(at, end - at));
        at = pragma.find_first_not_of(separators, end);
    }
    const auto is_name = [](std::string_view word) {
        return std::all_of(word.begin(), word.end(),
                           [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    };
    constexpr std::array<std::string_view, 4> behaviours{"enable", "disable", "require", "warn"};
    return words.size() == 4 && is_name(words[2]) && std::count(pragma.begin(), pragma.end(), ':') == 1 &&
           std::find(behaviours.begin(), behaviours.end(), words[3]) != behaviours.end();
}

/// Like print(), with the lines of the text itself at their original numbers.
std::string printed(const std::vector<Token>& tokens, std::uint32_t main) {
    std::string text;
    std::uint32_t line = 1;
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
        if (before != nullptr && text.back() != '\n' &&
            (token.space_before || translate::needs_space(*before, token))) {
            text += ' ';
        }
        text.append(pragma ? "#pragma " : "").append(token.text);
        before = &token;
    }
    return text + '\n';
}

} // namespace

std::string expand_untrusted(std::string_view text, const Options& options) {
    auto files = std::make_shared<translate::Files>();
    translate::Diagnostics diagnostics;
    const std::uint32_t main = files->add(options.name, std::string(text));
    translate::PreprocessOptions preprocess = options.preprocess;
    preprocess.untrusted = true;
    const std::vector<Token> tokens = translate::preprocess(*files, main, preprocess, diagnostics);
    for (const Token& token : tokens) {
        if (token.kind == TokenKind::pragma && token.text.starts_with("OPENCL EXTENSION") &&
            !is_plain_extension(token.text)) {
            diagnostics.error(token.at,
                              "the pragma " + translate::quoted(token.text.substr(0, 80)) +
                                  " must be \"OPENCL EXTENSION name : behaviour\" in a text that is not "
                                  "trusted (BuildOptions::untrusted)");
        }
    }
    std::vector<std::size_t> origins;
    std::vector<Token> expanded;
    if (!diagnostics.failed()) {
        expanded = with_driver_macros(tokens, options, *files, diagnostics, origins);
    }
    const Checked checked = check(files, std::move(expanded), std::move(diagnostics), options);
    if (!checked.tree->checked) {
        const std::string log = checked.messages();
        throw Error(Code::build_failed, "the text is not taken, because it is not trusted\n" + log)
            .with_log(log);
    }
    std::vector<bool> dropped(tokens.size());
    for (std::size_t i = 0; i < origins.size(); ++i) {
        dropped[origins[i]] = dropped[origins[i]] || checked.tree->tokens[i].no_effect;
    }
    std::vector<Token> kept;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!dropped[i]) {
            kept.push_back(tokens[i]);
        }
    }
    return printed(kept, main);
}

} // namespace ferry::opencl_c
