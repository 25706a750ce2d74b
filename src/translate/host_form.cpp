// SPDX-License-Identifier: Apache-2.0
#include "host_form.hpp"

#include "operands.hpp"
#include "statements.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace ferry::translate {

bool needs_group_body(const Rewriter& rewriter, const FunctionSyntax& kernel) {
    if (kernel.has_barrier) {
        return true;
    }
    const Syntax& syntax = rewriter.syntax();
    for (std::size_t i = kernel.body.begin; i < kernel.body.end; ++i) {
        if (syntax[i].is("__local") && rewriter.declares_local_object(i)) {
            return true;
        }
    }
    return false;
}

bool may_vectorise(const Syntax& syntax, Range range, const MemoryNames& names) {
    for (std::size_t i = range.begin; i < range.end; ++i) {
        const Token& t = syntax[i];
        if (t.is("&") && syntax.is_unary(i)) {
            return false;
        }
        Declaration d;
        const bool begins = i == range.begin || syntax[i - 1].is(";") || syntax[i - 1].is("{") ||
                            syntax[i - 1].is("}") || syntax[i - 1].is("(");
        if (begins && t.is_identifier() && read_declaration(syntax, {i, range.end}, d) &&
            std::any_of(d.declarators.begin(), d.declarators.end(),
                        [](const Declarator& n) { return n.array; })) {
            return false;
        }
    }
    return may_reorder_memory(syntax, range, names);
}

Rewriter::Replacements unqualified(const Syntax& syntax, Range specifiers) {
    Rewriter::Replacements words;
    for (std::size_t i = specifiers.begin; i < specifiers.end; ++i) {
        if (is_qualifier(syntax[i].text)) {
            words[i] = {i + 1, ""};
        }
    }
    return words;
}

std::size_t behind_sizeof(const Syntax& syntax, std::size_t keyword) {
    std::size_t i = keyword + 1;
    while (is_one_of(syntax[i], {"*", "&", "-", "+", "~", "!", "++", "--"})) {
        ++i;
    }
    i = syntax[i].is("(") ? syntax.partner(i) + 1 : i + 1;
    while (is_one_of(syntax[i], {"[", ".", "->"})) {
        i = syntax[i].is("[") ? syntax.partner(i) + 1 : i + 2;
    }
    return i;
}

bool may_trap(const Syntax& syntax, Range value) {
    for (std::size_t i = value.begin; i < value.end; ++i) {
        const bool divides = syntax[i].is("/") || syntax[i].is("%");
        if (divides && (syntax[i + 1].kind != TokenKind::number ||
                        syntax[i + 1].text.find_first_of("123456789") == std::string_view::npos)) {
            return true;
        }
    }
    return false;
}

std::string place_text(const Files& files, Position at) {
    std::string text = "\"";
    for (const char c :
         files[at.file].name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column)) {
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += static_cast<unsigned char>(c) < ' ' ? '?' : c;
    }
    return text + "\"";
}

} // namespace ferry::translate
