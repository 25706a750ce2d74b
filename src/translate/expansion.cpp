// SPDX-License-Identifier: Apache-2.0
// Macro calls: arguments, # and ##, and the expansion of the body. fetch() marks a macro's own name in its
// body, so that it is never expanded again.
#include "preprocessor.hpp"

#include <algorithm>
#include <utility>

namespace ferry::translate {
namespace {

std::string counted(std::size_t count, const char* noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
        }
        result += c;
    }
    return result + "\"";
}

} // namespace

/// Returns false if the name is unchanged: a function-like macro without '(' after it.
bool Preprocessor::expand(Macro& macro, const Token& name) {
    if (macro.builtin != Builtin::none) {
        expand_builtin(macro.builtin, name);
        return true;
    }
    Arguments arguments;
    if (macro.function_like) {
        const Token open = fetch();
        if (!open.is("(")) {
            push_back(open);
            return false;
        }
        if (!collect(macro, name, arguments) || !check_count(macro, name, arguments)) {
            return true;
        }
    }
    std::vector<Token> tokens = substitute(macro, name, arguments);
    if (stopped_) {
        return true;
    }
    if (tokens.empty()) {
        space_pending_ = space_pending_ || name.space_before;
        line_pending_ = line_pending_ || name.line_start;
        return true;
    }
    for (Token& token : tokens) {
        token.at = name.at;
        token.line_start = false;
    }
    tokens.front().space_before = name.space_before;
    tokens.front().line_start = name.line_start;
    push(std::move(tokens), &macro);
    return true;
}

void Preprocessor::expand_builtin(Builtin builtin, const Token& name) {
    const Source& source = sources_.back();
    Token token = name;
    token.kind = TokenKind::number;
    switch (builtin) {
    case Builtin::line:
        token.text = keep(std::to_string(static_cast<std::int64_t>(name.at.line) +
                                         (name.at.file == source.file ? source.line_shift : 0)));
        break;
    case Builtin::file:
        token.kind = TokenKind::string;
        token.text = keep(in_quotes(source.name));
        break;
    default:
        token.text = keep(std::to_string(counter_++));
        break;
    }
    if (spend(1)) {
        push({token}, nullptr);
    }
}

/// Reads the arguments and the closing parenthesis, after the opening one.
bool Preprocessor::collect(const Macro& macro, const Token& name, Arguments& arguments) {
    const std::size_t depth = sources_.size();
    std::size_t open = 0;
    arguments.emplace_back();
    Token token;
    for (;;) {
        fetch(token);
        if (token.kind == TokenKind::end || sources_.size() < depth) {
            if (!stopped_) {
                error(name.at, "the call of macro '" + std::string(name.text) + "' has no closing ')'");
            }
            push_back(token);
            return false;
        }
        if (token.is(")") && open == 0) {
            return true;
        }
        const bool rest = macro.variadic && arguments.size() >= macro.parameters.size();
        if (token.is(",") && open == 0 && !rest) {
            arguments.emplace_back();
            if (!spend(1)) {
                return false;
            }
            continue;
        }
        open += token.is("(") ? 1 : 0;
        open -= token.is(")") ? 1 : 0;
        token.space_before = token.space_before || token.line_start;
        token.line_start = false;
        if (!spend(1)) {
            return false;
        }
        arguments.back().raw.push_back(token);
    }
}

bool Preprocessor::check_count(const Macro& macro, const Token& name, Arguments& arguments) {
    const std::size_t wanted = macro.parameters.size();
    if (arguments.size() == 1 && arguments[0].raw.empty() && wanted == 0) {
        arguments.clear();
    }
    if (macro.variadic && arguments.size() + 1 == wanted) {
        arguments.emplace_back().absent = true; // GNU and C++20: nothing at all for '...'.
    }
    if (arguments.size() == wanted) {
        return true;
    }
    const std::string takes =
        macro.variadic ? "at least " + counted(wanted - 1, "argument") : counted(wanted, "argument");
    error(name.at, "macro '" + std::string(name.text) + "' takes " + takes + ", " +
                       std::to_string(arguments.size()) +
                       (arguments.size() == 1 ? " was given" : " were given"));
    return false;
}

/// The tokens with all macros expanded, as if they were the rest of the file.
std::vector<Token> Preprocessor::expanded(const std::vector<Token>& tokens, Position at) {
    std::vector<Token> result;
    if (call_depth_ >= options_.limits.call_depth) {
        stop(at, "macro calls are nested in their arguments " + std::to_string(options_.limits.call_depth) +
                     " deep, which is the limit");
        return result;
    }
    ++call_depth_;
    const std::size_t frames = frames_.size();
    const bool space = std::exchange(space_pending_, false);
    const bool line = std::exchange(line_pending_, false);
    frames_.push_back({tokens, 0, nullptr, true});
    do {
        next(result.emplace_back());
    } while (result.back().kind != TokenKind::end && spend(1));
    result.pop_back();
    while (frames_.size() > frames) {
        pop_frame();
    }
    space_pending_ = space;
    line_pending_ = line;
    --call_depth_;
    return result;
}

const std::vector<Token>& Preprocessor::expanded(Argument& argument, Position at) {
    if (!argument.is_expanded) {
        const auto may_expand = [this](const Token& token) {
            return token.is_identifier() && macros_.find(token.text) != nullptr;
        };
        if (std::none_of(argument.raw.begin(), argument.raw.end(), may_expand)) {
            return argument.raw;
        }
        argument.is_expanded = true;
        argument.expanded = expanded(argument.raw, at);
    }
    return argument.expanded;
}

std::vector<Token> Preprocessor::substitute(const Macro& macro, const Token& name, Arguments& arguments) {
    std::vector<Token> result;
    std::size_t chain = 0; ///< Start of the present operand of ##.
    bool space = false;    ///< Before operands that became empty.
    const auto append = [&](const Token* tokens, std::size_t count, bool space_before) {
        if (count != 0 && spend(count)) {
            const std::size_t first = result.size();
            result.insert(result.end(), tokens, tokens + count);
            result[first].space_before = space_before || space;
            space = false;
        }
    };
    for (std::size_t i = 0; i < macro.body.size() && !stopped_; ++i) {
        const Operand& operand = macro.body[i];
        const bool pastes = operand.pasted || (i + 1 < macro.body.size() && macro.body[i + 1].pasted);
        Token made = operand.token;
        const Token* tokens = &made;
        std::size_t count = 1;
        bool pasted = operand.pasted;
        if (operand.stringized) {
            made = stringized(arguments[static_cast<std::size_t>(operand.parameter)].raw, name.at);
        } else if (operand.parameter >= 0) {
            Argument& argument = arguments[static_cast<std::size_t>(operand.parameter)];
            // GNU: ',' and ## before the variable arguments paste nothing; the ',' is removed if there are
            // none.
            const bool rest =
                macro.variadic && static_cast<std::size_t>(operand.parameter) + 1 == arguments.size();
            const bool gnu_comma = pasted && rest && macro.body[i - 1].token.is(",") && !result.empty();
            if (gnu_comma && (argument.absent || (arguments.size() == 1 && argument.raw.empty()))) {
                result.pop_back();
                chain = result.size();
                continue;
            }
            pasted = pasted && !gnu_comma;
            const std::vector<Token>& list = pastes ? argument.raw : expanded(argument, name.at);
            tokens = list.data();
            count = list.size();
        }
        if (!pasted) {
            chain = result.size();
        }
        if (count == 0) {
            space = space || (!pasted && operand.token.space_before);
        } else if (pasted && result.size() > chain) {
            if (paste(result.back(), *tokens, name.at)) {
                append(tokens + 1, count - 1, count > 1 && tokens[1].space_before);
            } else {
                append(tokens, count, true);
            }
        } else {
            append(tokens, count, operand.token.space_before);
        }
    }
    return result;
}

Token Preprocessor::stringized(const std::vector<Token>& tokens, Position at) {
    std::string text = "\"";
    for (const Token& token : tokens) {
        if (token.space_before && text.size() > 1) {
            text += ' ';
        }
        if (token.kind == TokenKind::string || token.kind == TokenKind::character) {
            const std::string quoted = in_quotes(token.text);
            text.append(quoted, 1, quoted.size() - 2);
        } else {
            text += token.text;
        }
    }
    text += '"';
    Token result;
    result.kind = TokenKind::string;
    result.text = keep(std::move(text));
    result.at = at;
    Lexer lexer(result.text, at, diagnostics_);
    lexer.quiet(true);
    if (const Token read = lexer.next(); read.text.size() != result.text.size() || (read.mark & stray) != 0) {
        error(at, "'#' makes no valid string of a text with a single '\\'");
    }
    return result;
}

/// Appends the right token's spelling to the left token, if the result is one token.
bool Preprocessor::paste(Token& left, const Token& right, Position at) {
    const std::string_view text = keep(std::string(left.text) + std::string(right.text));
    Lexer lexer(text, at, diagnostics_);
    lexer.quiet(true);
    Token token = lexer.next();
    const bool hashes = text == "##" || text == "#";
    if (token.text != text || token.space_before || ((token.mark & stray) != 0 && !hashes)) {
        error(at, "pasting '" + std::string(left.text) + "' and '" + std::string(right.text) +
                      "' does not give a valid token");
        return false;
    }
    token.space_before = left.space_before;
    token.line_start = left.line_start;
    left = token;
    return true;
}

} // namespace ferry::translate
