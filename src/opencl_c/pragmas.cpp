// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"
#include "translate/annotations.hpp"
#include "translate/pack.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace ferry::opencl_c {
namespace {

std::string_view take_word(std::string_view& text) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    std::size_t end = 0;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
        ++end;
    }
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    const std::size_t begin = text.find_first_of("0123456789");
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    static_cast<void>(std::from_chars(text.data() + begin, text.data() + text.size(), value));
    return value;
}

} // namespace

void Parser::handle_pragma(std::uint32_t token) {
    std::string_view text = tree_.tokens[token].text;
    const std::string_view word = take_word(text);
    if (word == "pack") {
        pack_pragma(token);
    } else if (word == "unroll" || word == "nounroll") {
        const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
        std::string_view rest = text.substr(begin);
        const std::string_view first = take_word(rest);
        const Symbol* const symbol = scopes_.find(first);
        const bool is_constant =
            symbol != nullptr &&
            (symbol->kind == Symbol::Kind::enumerator ||
             (symbol->kind == Symbol::Kind::variable && tree_.variables[symbol->index].type.is_const()));
        // Macros were expanded, so a name is that of a constant.
        const bool is_name = !first.empty() && std::isdigit(static_cast<unsigned char>(first[0])) == 0;
        const bool begins = !rest.empty() &&
                            std::string_view("(+-~!").find(rest[0]) != std::string_view::npos &&
                            rest.size() > 1;
        const bool is_expression =
            is_name ? first == "sizeof" || is_constant : !first.empty() || rest.empty() || begins;
        if (word == "unroll" && !is_expression) {
            error(token, "#pragma unroll needs a number, not " +
                             translate::quoted(is_name ? first : rest.substr(0, 1)));
        }
        unroll_ = word == "unroll" ? static_cast<std::uint32_t>(number_in(text).value_or(0)) : 1U;
    } else if (std::string refusal = translate::refusal_of_pragma(tree_.tokens[token].text);
               !refusal.empty()) {
        error(token, std::move(refusal));
    } else if (translate::forbids_contraction(tree_.tokens[token])) {
        tree_.contracts = false;
    }
}

void Parser::pack_pragma(std::uint32_t token) {
    const auto pack = translate::parse_pack(tree_.tokens[token].text);
    if (!pack) {
        error(token, translate::not_understood_pack(tree_.tokens[token].text));
        return;
    }
    if (pack->push) {
        pack_stack_.push_back(pack_);
    }
    if (pack->pop && pack_stack_.empty()) {
        warning(token, "#pragma pack(pop) has no pack(push) before it");
    } else if (pack->pop) {
        pack_ = pack_stack_.back();
        pack_stack_.pop_back();
    }
    pack_ = pack->alignment.value_or(pack_);
}

} // namespace ferry::opencl_c
