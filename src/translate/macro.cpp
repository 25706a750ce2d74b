// SPDX-License-Identifier: Apache-2.0
#include "macro.hpp"

#include <string>

namespace ferry::translate {
namespace {

constexpr std::size_t most_parameters = 1000;

class DefinitionParser {
public:
    DefinitionParser(Lexer& lexer, Diagnostics& diagnostics) : lexer_{lexer}, diagnostics_{diagnostics} {}

    std::optional<Macro> parse() {
        macro_.name = lexer_.next();
        if (macro_.name.kind == TokenKind::end) {
            return fail(macro_.name.at, "#define names no macro");
        }
        if (!macro_.name.is_identifier()) {
            return fail(macro_.name.at,
                        "a macro's name must be an identifier, not " + quoted(macro_.name.text));
        }
        if (macro_.name.text == "defined" || macro_.name.text == "__VA_ARGS__") {
            return fail(macro_.name.at, quoted(macro_.name.text) + " cannot be the name of a macro");
        }
        Token token = lexer_.next();
        if (token.is("(") && !token.space_before) {
            macro_.function_like = true;
            if (!parse_parameters(token.at)) {
                return std::nullopt;
            }
            token = lexer_.next();
        } else if (token.kind != TokenKind::end && !token.space_before) {
            diagnostics_.warning(token.at, "a blank is missing between the macro " +
                                               quoted(macro_.name.text) + " and its body");
        }
        if (!parse_body(token)) {
            return std::nullopt;
        }
        return std::move(macro_);
    }

private:
    std::nullopt_t fail(Position at, std::string message) {
        diagnostics_.error(at, std::move(message));
        return std::nullopt;
    }
    bool wrong(Position at, std::string message) {
        diagnostics_.error(at, std::move(message));
        return false;
    }

    bool parse_parameters(Position open) {
        Token token = lexer_.next();
        if (token.is(")")) {
            return true;
        }
        for (;; token = lexer_.next()) {
            if (!parse_parameter(token, open)) {
                return false;
            }
            const Token after = lexer_.next();
            if (after.is(")")) {
                return true;
            }
            if (after.is("...") && token.is_identifier() && !macro_.variadic) { // GNU: rest...
                macro_.variadic = true;
                return lexer_.next().is(")") || wrong(after.at, "'...' must be the last parameter");
            }
            if (after.kind == TokenKind::end) {
                return wrong(open, unclosed());
            }
            if (!after.is(",")) {
                return wrong(after.at, "',' or ')' is expected behind a parameter of the macro " +
                                           quoted(macro_.name.text) + ", not " + quoted(after.text));
            }
            if (macro_.variadic) {
                return wrong(token.at, "'...' must be the last parameter");
            }
        }
    }

    bool parse_parameter(const Token& token, Position open) {
        if (token.kind == TokenKind::end) {
            return wrong(open, unclosed());
        }
        macro_.variadic = token.is("...");
        if (!macro_.variadic && !token.is_identifier()) {
            return wrong(token.at, quoted(token.text) + " cannot be a parameter of the macro " +
                                       quoted(macro_.name.text));
        }
        if (token.text == "__VA_ARGS__") {
            return wrong(token.at, "'__VA_ARGS__' cannot be the name of a parameter");
        }
        const std::string_view name = macro_.variadic ? "__VA_ARGS__" : token.text;
        if (!indices_.emplace(name, static_cast<std::int32_t>(macro_.parameters.size())).second) {
            return wrong(token.at,
                         "the macro " + quoted(macro_.name.text) + " has two parameters " + quoted(name));
        }
        macro_.parameters.push_back(name);
        return macro_.parameters.size() <= most_parameters ||
               wrong(token.at, "the macro " + quoted(macro_.name.text) + " has more than " +
                                   std::to_string(most_parameters) + " parameters, which is the limit");
    }

    std::string unclosed() const {
        return "the parameters of the macro " + quoted(macro_.name.text) + " have no closing ')'";
    }

    bool parse_body(Token token) {
        bool pasted = false;
        for (; token.kind != TokenKind::end; token = lexer_.next()) {
            if (token.is("##")) {
                if (macro_.body.empty()) {
                    return wrong(token.at,
                                 "'##' cannot be the first thing in the macro " + quoted(macro_.name.text));
                }
                pasted = true;
                continue;
            }
            Operand operand;
            if (token.is("#") && macro_.function_like) {
                const Token parameter = lexer_.next();
                operand = make(parameter);
                if (operand.parameter < 0) {
                    return wrong(token.at, "'#' in the macro " + quoted(macro_.name.text) +
                                               " must precede a parameter");
                }
                operand.stringized = true;
                operand.token.space_before = token.space_before;
            } else {
                operand = make(token);
            }
            operand.pasted = pasted;
            pasted = false;
            if (operand.token.text == "__VA_ARGS__" && operand.parameter < 0 &&
                operand.token.is_identifier()) {
                diagnostics_.warning(operand.token.at,
                                     "'__VA_ARGS__' means something in a macro with '...' only");
            }
            macro_.body.push_back(operand);
        }
        if (pasted) {
            return wrong(token.at, "'##' cannot be the last thing in the macro " + quoted(macro_.name.text));
        }
        return true;
    }

    Operand make(const Token& token) const {
        Operand operand{token};
        operand.token.line_start = false;
        if (token.is_identifier()) {
            const auto found = indices_.find(token.text);
            operand.parameter = found == indices_.end() ? -1 : found->second;
        }
        return operand;
    }

    Lexer& lexer_;
    Diagnostics& diagnostics_;
    Macro macro_;
    std::unordered_map<std::string_view, std::int32_t> indices_;
};

bool same(const Operand& a, const Operand& b, bool first) {
    return a.token.text == b.token.text && a.token.kind == b.token.kind && a.parameter == b.parameter &&
           a.stringized == b.stringized && a.pasted == b.pasted &&
           (first || a.token.space_before == b.token.space_before);
}

} // namespace

std::optional<Macro> parse_definition(Lexer& lexer, Diagnostics& diagnostics) {
    return DefinitionParser(lexer, diagnostics).parse();
}

bool same_definition(const Macro& a, const Macro& b) {
    if (a.function_like != b.function_like || a.variadic != b.variadic || a.builtin != b.builtin ||
        a.parameters != b.parameters || a.body.size() != b.body.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.body.size(); ++i) {
        if (!same(a.body[i], b.body[i], i == 0)) {
            return false;
        }
    }
    return true;
}

MacroTable::MacroTable() {
    const auto add = [this](std::string_view name, Builtin builtin) {
        Macro macro;
        macro.name.kind = TokenKind::identifier;
        macro.name.text = name;
        macro.builtin = builtin;
        define(std::move(macro));
    };
    add("__LINE__", Builtin::line);
    add("__FILE__", Builtin::file);
    add("__COUNTER__", Builtin::counter);
}

Macro* MacroTable::find(std::string_view name) const noexcept {
    if (name.empty() || (lengths_[row(name)] & bit(name)) == 0) {
        return nullptr;
    }
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second;
}

void MacroTable::define(Macro macro) {
    const std::string_view name = macro.name.text;
    lengths_[row(name)] |= bit(name);
    names_[name] = &macros_.emplace_back(std::move(macro));
}

bool MacroTable::restore(std::string_view name) {
    const auto saved = saved_.find(name);
    if (saved == saved_.end() || saved->second.empty()) {
        return false;
    }
    Macro* const macro = saved->second.back();
    saved->second.pop_back();
    if (macro == nullptr) {
        names_.erase(name);
    } else {
        names_[name] = macro;
    }
    return true;
}

} // namespace ferry::translate
