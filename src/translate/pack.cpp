// SPDX-License-Identifier: Apache-2.0
#include "pack.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::translate {
namespace {

bool is_pack(const Token& token) {
    return token.kind == TokenKind::pragma && token.text.starts_with("pack");
}

/// "4" as 4. Empty if compilers do not accept it. 0 means the compiler's own alignment.
std::optional<std::size_t> alignment_of(std::string_view text) {
    for (const std::size_t n : {0U, 1U, 2U, 4U, 8U, 16U}) {
        if (text == std::to_string(n)) {
            return n;
        }
    }
    return std::nullopt;
}

/// A declaration at file scope: its end, and its struct definition.
struct PlacedType {
    std::size_t end = 0;
    std::size_t composite = 0; ///< The word struct or union; `end` if there is none.
    bool function = false;     ///< The definition of one.
};

PlacedType declaration_at(const std::vector<Token>& tokens, std::size_t begin) {
    PlacedType d;
    std::size_t depth = 0;
    std::size_t keyword = tokens.size();
    std::optional<std::size_t> composite;
    bool parameters = false; // A parenthesis that does not belong to an attribute.
    for (std::size_t i = begin; i < tokens.size(); ++i) {
        const Token& t = tokens[i];
        if (t.is("struct") || t.is("union")) {
            keyword = i;
        } else if (t.is("{")) {
            composite = keyword != tokens.size() && !composite ? keyword : composite;
            d.function = d.function || (depth == 0 && parameters && keyword == tokens.size());
        } else if (t.is("(") && depth == 0) {
            parameters = parameters || !tokens[i - (i > begin ? 1 : 0)].is("__attribute__");
            keyword = parameters ? tokens.size() : keyword;
        } else if (t.is(";") || t.is(",") || t.is(")") || t.is("=") || t.is("*")) {
            keyword = tokens.size();
        }
        depth += t.is("{") || t.is("(") || t.is("[") ? 1 : 0;
        depth -= depth > 0 && (t.is("}") || t.is(")") || t.is("]")) ? 1 : 0;
        if (depth == 0 && (t.is(";") || (t.is("}") && d.function))) {
            d.end = i + 1;
            break;
        }
        d.end = i + (t.kind == TokenKind::end ? 0 : 1);
    }
    d.composite = composite.value_or(d.end);
    return d;
}

} // namespace

Token Pack::pragma(const Token& at, std::string text) const {
    Token token = at;
    token.kind = TokenKind::pragma;
    token.line_start = true;
    token.text = files_.keep(std::move(text));
    return token;
}

std::optional<PackPragma> parse_pack(std::string_view pragma) {
    std::string text;
    std::copy_if(pragma.begin(), pragma.end(), std::back_inserter(text), [](char c) { return c != ' '; });
    if (!text.starts_with("pack(") || !text.ends_with(")")) {
        return std::nullopt;
    }
    const std::string list = text.substr(5, text.size() - 6);
    PackPragma pack;
    pack.push = list == "push" || list.starts_with("push,");
    pack.pop = list == "pop";
    if (list.empty()) {
        pack.alignment = 0;
    } else if (!pack.pop && list != "push" && list != "show") {
        pack.alignment = alignment_of(pack.push ? std::string_view(list).substr(5) : list);
        if (!pack.alignment) {
            return std::nullopt;
        }
    }
    return pack;
}

std::string not_understood_pack(std::string_view pragma) {
    return "the pragma " + quoted(pragma.substr(0, 80)) +
           " is not understood; write pack(n), pack(), pack(push), pack(push, n) or pack(pop), where n is 1, "
           "2, 4, 8 or 16";
}

void Pack::read(const Token& pragma) {
    const auto pack = parse_pack(pragma.text);
    if (!pack) {
        diagnostics_.error(pragma.at, not_understood_pack(pragma.text));
        return;
    }
    if (pack->push) {
        pushed_.push_back(alignment_);
    }
    if (pack->pop && pushed_.empty()) {
        diagnostics_.error(pragma.at, "the pragma 'pack(pop)' has no 'pack(push)' before it");
    } else if (pack->pop) {
        alignment_ = pushed_.back();
        pushed_.pop_back();
    }
    alignment_ = pack->alignment.value_or(alignment_);
}

std::vector<Token> Pack::applied(std::vector<Token> tokens) {
    if (std::none_of(tokens.begin(), tokens.end(), is_pack)) {
        return tokens;
    }
    std::vector<Token> out;
    out.reserve(tokens.size());
    for (std::size_t i = 0; i < tokens.size();) {
        if (is_pack(tokens[i])) {
            read(tokens[i++]);
            continue;
        }
        if (tokens[i].kind == TokenKind::pragma || tokens[i].kind == TokenKind::end) {
            out.push_back(tokens[i++]);
            continue;
        }
        const PlacedType d = declaration_at(tokens, i);
        const bool packed = alignment_ != 0 && d.composite != d.end;
        if (packed && d.function) {
            diagnostics_.error(tokens[d.composite].at,
                               "a struct in a function takes no alignment from #pragma pack; define it "
                               "outside of functions, or put the function before the pragma");
        }
        if (packed) {
            out.push_back(pragma(tokens[i], "pack(push, " + std::to_string(alignment_) + ")"));
        }
        for (std::size_t n = i; n < d.end; ++n) {
            if (is_pack(tokens[n])) {
                diagnostics_.error(tokens[n].at,
                                   "the pragma 'pack' must stand between declarations, outside of "
                                   "structs and functions");
            } else {
                out.push_back(tokens[n]);
            }
        }
        if (packed) {
            out.push_back(pragma(tokens[d.end - 1], "pack(pop)"));
        }
        i = d.end;
    }
    return out;
}

} // namespace ferry::translate
