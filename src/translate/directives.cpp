// SPDX-License-Identifier: Apache-2.0
// The directives other than conditionals and #include.
#include "condition.hpp"
#include "preprocessor.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

constexpr std::uint64_t last_line = 2'147'483'647; ///< C99 6.10.4.

/// The inverse of #: "a \"b\" \\n" to a "b" \n.
std::string without_quotes(std::string_view literal) {
    literal.remove_prefix(literal.front() == 'L' ? 2 : 1);
    literal.remove_suffix(1);
    std::string text;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] == '\\' && i + 1 < literal.size() &&
            (literal[i + 1] == '"' || literal[i + 1] == '\\')) {
            ++i;
        }
        text += literal[i];
    }
    return text;
}

} // namespace

void Preprocessor::directive(const Token& hash) {
    Lexer& lexer = sources_.back().lexer;
    lexer.begin_directive();
    const Token name = lexer.next();
    if (name.kind == TokenKind::number) {
        line(name); // `# 12 "file"`, as written by other preprocessors.
    } else if (name.kind != TokenKind::end && !conditional(name)) {
        act(hash, name);
    }
    while (!frames_.empty()) {
        pop_frame();
    }
    // An #include has entered another source and has already left its own line.
    if (lexer.in_directive()) {
        lexer.end_directive();
    }
    if (diagnostics_.full()) {
        stopped_ = true;
    }
}

void Preprocessor::act(const Token& hash, const Token& name) {
    const std::string_view text = name.text;
    if (text == "define") {
        define();
    } else if (text == "undef") {
        undefine("#undef");
    } else if (text == "include") {
        include(name);
    } else if (text == "pragma") {
        pragma(hash);
    } else if (text == "line") {
        line(next());
    } else if (text == "error") {
        say(Severity::error, name);
    } else if (text == "warning") {
        say(Severity::warning, name);
    } else if (text != "ident") {
        error(name.at, "there is no directive #" + std::string(text));
    }
}

void Preprocessor::define() {
    std::optional<Macro> macro = parse_definition(sources_.back().lexer, diagnostics_);
    if (!macro || !spend(macro->body.size() + macro->parameters.size() + 1)) {
        return;
    }
    const Token& name = macro->name;
    if (const Macro* earlier = macros_.find(name.text)) {
        if (earlier->builtin != Builtin::none) {
            error(name.at, "'" + std::string(name.text) + "' is predefined and cannot be defined otherwise");
            return;
        }
        if (warn_redefinition_ && !same_definition(*earlier, *macro)) {
            diagnostics_.warning(name.at, "macro '" + std::string(name.text) +
                                              "' becomes something else than it was defined to be at " +
                                              place(earlier->name.at));
        }
    }
    macros_.define(std::move(*macro));
}

void Preprocessor::undefine(std::string_view directive) {
    const Token name = sources_.back().lexer.next();
    if (!name.is_identifier()) {
        error(name.at, std::string(directive) + " needs the name of a macro");
        return;
    }
    const Macro* macro = macros_.find(name.text);
    if ((macro != nullptr && macro->builtin != Builtin::none) || name.text == "defined") {
        error(name.at, "'" + std::string(name.text) + "' is predefined and cannot be undefined");
        return;
    }
    macros_.undefine(name.text);
    expect_line_end(directive);
}

void Preprocessor::line(Token first) {
    Source& source = sources_.back();
    const Position at = first.kind == TokenKind::end ? source.lexer.here() : first.at;
    if (options_.untrusted) {
        error(at, "a line marker is not allowed in a text that is not trusted (BuildOptions::untrusted)");
        return;
    }
    const bool digits = first.kind == TokenKind::number &&
                        first.text.find_first_not_of("0123456789") == std::string_view::npos;
    std::uint64_t number = 0;
    for (const char c : digits ? first.text : std::string_view{}) {
        number = std::min<std::uint64_t>(number * 10 + static_cast<std::uint64_t>(c - '0'), last_line + 1);
    }
    if (!digits || number > last_line) {
        error(at, "#line needs a number from 0 to " + std::to_string(last_line) +
                      (first.text.empty() ? "" : ", not '" + std::string(first.text) + "'"));
        return;
    }
    source.lexer.quiet(true); // The name of a file may have bytes that are not UTF-8.
    const Token name = next();
    source.lexer.quiet(false);
    if (name.kind == TokenKind::string && name.text.front() == '"' && (name.mark & stray) == 0) {
        source.name = keep(without_quotes(name.text));
    } else if (name.kind != TokenKind::end) {
        error(name.at,
              "#line needs a file's name in quotes behind the number, not '" + std::string(name.text) + "'");
        return;
    }
    source.line_shift =
        static_cast<std::int64_t>(number) - static_cast<std::int64_t>(source.lexer.here().line) - 1;
}

void Preprocessor::say(Severity severity, const Token& name) {
    std::string text;
    for (const Token& token : rest_of_line()) {
        text += token.space_before && !text.empty() ? " " : "";
        text += token.text;
    }
    diagnostics_.add({severity, name.at, "#" + std::string(name.text) + (text.empty() ? "" : " ") + text});
}

std::vector<Token> Preprocessor::rest_of_line() {
    std::vector<Token> tokens;
    Lexer& lexer = sources_.back().lexer;
    lexer.quiet(true); // Text may contain an apostrophe.
    for (Token token = lexer.next(); token.kind != TokenKind::end && spend(1); token = lexer.next()) {
        tokens.push_back(token);
    }
    lexer.quiet(false);
    return tokens;
}

std::string Preprocessor::joined(const std::vector<Token>& tokens) const {
    std::string text;
    const Token* previous = nullptr;
    for (const Token& token : tokens) {
        const bool apart = previous != nullptr && (token.space_before || needs_space(*previous, token));
        text += apart ? " " : "";
        text += token.text;
        previous = &token;
    }
    return text;
}

void Preprocessor::expect_line_end(std::string_view directive) {
    const Token token = sources_.back().lexer.next();
    if (token.kind != TokenKind::end) {
        diagnostics_.warning(token.at, "'" + std::string(token.text) + "' behind " + std::string(directive) +
                                           " is ignored");
    }
}

void Preprocessor::pragma(const Token& hash) {
    const std::vector<Token> words = rest_of_line();
    if (!preprocessor_pragma(words, hash.at)) {
        pragma_ = pragma_token(words, hash.at);
    }
}

/// Handles a pragma of the preprocessor. Returns false for other pragmas.
bool Preprocessor::preprocessor_pragma(const std::vector<Token>& words, Position at) {
    const std::string_view name = words.empty() ? std::string_view() : words[0].text;
    if (name == "once") {
        once_.insert(sources_.back().file);
        return true;
    }
    if (name != "push_macro" && name != "pop_macro") {
        return false;
    }
    const bool readable = words.size() == 4 && words[1].is("(") && words[3].is(")") &&
                          words[2].kind == TokenKind::string && words[2].text.starts_with('"');
    const std::string_view macro = readable ? words[2].text.substr(1, words[2].text.size() - 2) : "";
    if (macro.empty()) {
        error(at, "the pragma '" + std::string(name) + "' needs the name of a macro: " + std::string(name) +
                      "(\"NAME\")");
    } else if (name == "push_macro") {
        macros_.save(macro);
    } else if (!macros_.restore(macro)) {
        diagnostics_.warning(at, "the pragma 'pop_macro' has no 'push_macro' of '" + std::string(macro) +
                                     "' before it and is ignored");
    }
    return true;
}

/// Compilers expand N in `#pragma unroll N`, but they would not see the macro, so it is expanded here. The
/// names of OpenCL's extensions are macros too, but are not expanded.
Token Preprocessor::pragma_token(std::vector<Token> words, Position at) {
    if (words.size() > 1 && words[0].text != "OPENCL" && words[0].text != "STDC") {
        words = expanded(words, at);
    }
    Token token;
    token.kind = TokenKind::pragma;
    token.line_start = true;
    token.text = keep(joined(words));
    if (token.text.ends_with('\\')) {
        error(at, "a pragma cannot end with '\\'"); // In the output it would continue on the next line.
    }
    token.at = at;
    return token;
}

/// `_Pragma("text")` in the result.
void Preprocessor::pragma_operator(const Token& name) {
    const Token open = next();
    const Token literal = open.is("(") ? next() : open;
    const bool readable = literal.kind == TokenKind::string && (literal.mark & stray) == 0;
    const Token close = readable ? next() : literal;
    if (!readable || !close.is(")")) {
        error(name.at, "_Pragma needs one string in parentheses");
        push_back(close);
        return;
    }
    Lexer lexer(keep(without_quotes(literal.text)), name.at, diagnostics_);
    std::vector<Token> words;
    for (Token token = lexer.next(); token.kind != TokenKind::end && spend(1); token = lexer.next()) {
        words.push_back(token);
    }
    if (preprocessor_pragma(words, name.at)) {
        return;
    }
    push({pragma_token(std::move(words), name.at)}, nullptr);
}

} // namespace ferry::translate
