// SPDX-License-Identifier: Apache-2.0
// #if and related directives: the groups of lines that are read.
#include "annotations.hpp"
#include "condition.hpp"
#include "preprocessor.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

bool opens(std::string_view name) noexcept {
    return name == "if" || name == "ifdef" || name == "ifndef";
}

/// The operators of #if that query the compiler.
bool is_question(std::string_view name) noexcept {
    return name == "__has_include" || name == "__has_attribute" || name == "__has_builtin" ||
           name == "__has_feature" || name == "__has_extension";
}

bool has_attribute(std::string_view name) {
    const Annotation* const row = find_attribute(name);
    return row != nullptr && row->treatment != Treatment::refused;
}

bool continues_with_test(std::string_view name) noexcept {
    return name == "elif" || name == "elifdef" || name == "elifndef";
}

} // namespace

/// Returns false if the name is another directive's.
bool Preprocessor::conditional(const Token& name) {
    std::vector<Conditional>& open = sources_.back().conditionals;
    if (opens(name.text)) {
        if (!spend(1)) {
            return true;
        }
        open.push_back({name, false, false});
        open.back().taken = test(name);
        if (!open.back().taken) {
            skip_groups();
        }
        return true;
    }
    if (name.text != "endif" && name.text != "else" && !continues_with_test(name.text)) {
        return false;
    }
    if (open.empty()) {
        error(name.at, "#" + std::string(name.text) + " without #if");
    } else if (name.text == "endif") {
        open.pop_back();
        expect_line_end("#endif");
    } else {
        other_group(name);
        skip_groups(); // The previous group was read.
    }
    return true;
}

/// Checks an #else or #elif against the preceding directives.
void Preprocessor::other_group(const Token& name) {
    Conditional& conditional = sources_.back().conditionals.back();
    if (conditional.has_else) {
        error(name.at, "#" + std::string(name.text) + " behind the #else of the #" +
                           std::string(conditional.directive.text) + " at " +
                           place(conditional.directive.at));
    }
    if (name.text == "else") {
        conditional.has_else = true;
        expect_line_end("#else");
    }
}

/// Skips lines up to the next group that is read, or to after the #endif. The lexer is in the directive that
/// starts the first skipped group, and ends in the one that ends the last.
void Preprocessor::skip_groups() {
    Source& source = sources_.back();
    Lexer& lexer = source.lexer;
    std::size_t depth = 0;
    lexer.quiet(true);
    for (;;) {
        lexer.end_directive();
        Token token;
        do {
            token = lexer.next();
        } while (token.kind != TokenKind::end && !(token.line_start && token.is("#")));
        if (token.kind == TokenKind::end || stopped_) {
            break;
        }
        lexer.begin_directive();
        const Token name = lexer.next();
        if (opens(name.text)) {
            ++depth;
        } else if (depth != 0) {
            depth -= name.text == "endif" ? 1 : 0;
        } else if (name.text == "endif") {
            lexer.quiet(false);
            source.conditionals.pop_back();
            expect_line_end("#endif");
            return;
        } else if (name.text == "else" || continues_with_test(name.text)) {
            lexer.quiet(false);
            other_group(name);
            Conditional& conditional = source.conditionals.back();
            if (!conditional.taken && (name.text == "else" || test(name))) {
                conditional.taken = true;
                return;
            }
            lexer.quiet(true);
        }
    }
    lexer.quiet(false);
}

bool Preprocessor::test(const Token& name) {
    return name.text == "if" || name.text == "elif" ? test_expression(name) : test_defined(name);
}

bool Preprocessor::test_defined(const Token& name) {
    const Token macro = sources_.back().lexer.next();
    if (!macro.is_identifier()) {
        error(macro.at, "#" + std::string(name.text) + " needs the name of a macro");
        return false;
    }
    expect_line_end("#" + std::string(name.text));
    const bool wanted = name.text == "ifdef" || name.text == "elifdef";
    return is_defined(macro.text) == wanted;
}

bool Preprocessor::test_expression(const Token& name) {
    std::vector<Token> tokens;
    for (Token token = next(); token.kind != TokenKind::end; token = next()) {
        if (!spend(1)) {
            return false;
        }
        if (token.is_identifier() && token.text == "defined") {
            token.kind = TokenKind::number;
            token.text = defined_operator(token) ? "1" : "0";
        } else if (token.is_identifier() && is_question(token.text)) {
            const bool answer = question_operator(token);
            token.kind = TokenKind::number;
            token.text = answer ? "1" : "0";
        }
        tokens.push_back(token);
    }
    while (!frames_.empty()) {
        pop_frame();
    }
    if (stopped_) {
        return false;
    }
    return evaluate(tokens, name.at, "#" + std::string(name.text), options_.limits.condition_depth,
                    diagnostics_)
        .value_or(false);
}

/// `defined N` and `defined ( N )`; the operand is not expanded.
bool Preprocessor::defined_operator(const Token& name) {
    Token macro = fetch();
    const bool parenthesis = macro.is("(");
    if (parenthesis) {
        macro = fetch();
    }
    if (!macro.is_identifier()) {
        error(name.at, "'defined' needs the name of a macro");
        push_back(macro);
        return false;
    }
    if (parenthesis) {
        const Token close = fetch();
        if (!close.is(")")) {
            error(name.at, "'defined(' has no closing ')'");
            push_back(close);
        }
    }
    return is_defined(macro.text);
}

bool Preprocessor::is_defined(std::string_view name) {
    return macros_.find(name) != nullptr || is_question(name);
}

/// `__has_include("x")` and related operators, as in clang; the text in the parentheses is not expanded.
bool Preprocessor::question_operator(const Token& name) {
    const std::string_view question = name.text;
    if (const Token open = fetch(); !open.is("(")) {
        error(name.at, "'" + std::string(question) + "' needs '(' behind it");
        push_back(open);
        return false;
    }
    std::vector<Token> words;
    std::size_t depth = 0;
    for (;;) {
        Token word = fetch();
        if (word.kind == TokenKind::end) {
            error(name.at, "'" + std::string(question) + "(' has no closing ')'");
            return false;
        }
        if (word.is(")") && depth == 0) {
            break;
        }
        depth += word.is("(") ? 1 : 0;
        depth -= word.is(")") ? 1 : 0;
        words.push_back(word);
    }
    if (question == "__has_include") {
        return has_include(name, words);
    }
    if (words.empty() || !words[0].is_identifier()) {
        error(name.at, "'" + std::string(question) + "' needs a name in its parentheses");
        return false;
    }
    return question == "__has_attribute" && has_attribute(words[0].text);
}

/// Its name is "x", or <x> in several tokens.
bool Preprocessor::has_include(const Token& name, const std::vector<Token>& words) {
    std::string text;
    for (const Token& word : words) {
        text += word.space_before && text.size() > 1 && !word.is(">") ? " " : "";
        text += word.text;
    }
    const bool beside = text.size() > 2 && text.front() == '"' && text.back() == '"';
    if (!beside && !(text.size() > 2 && text.front() == '<' && text.back() == '>')) {
        error(name.at, "'__has_include' needs \"name\" or <name> in its parentheses");
        return false;
    }
    std::uint32_t file = 0;
    return find_header(text.substr(1, text.size() - 2), beside, file);
}

} // namespace ferry::translate
