// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"
#include "translate/annotations.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

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

struct Pack {
    bool push = false, pop = false;
    std::optional<std::uint64_t> alignment; ///< In bytes. 0: the compiler's own. Empty: unchanged.
};

/// "4" as 4. Empty if compilers do not accept it.
std::optional<std::uint64_t> pack_alignment(std::string_view text) {
    for (const std::uint64_t n : {0U, 1U, 2U, 4U, 8U, 16U}) {
        if (text == std::to_string(n)) {
            return n;
        }
    }
    return std::nullopt;
}

/// Parses "pack(push, 4)" in the forms that all compilers understand alike. Empty for another form.
std::optional<Pack> parse_pack(std::string_view pragma) {
    std::string text;
    std::copy_if(pragma.begin(), pragma.end(), std::back_inserter(text), [](char c) { return c != ' '; });
    if (!text.starts_with("pack(") || !text.ends_with(")")) {
        return std::nullopt;
    }
    const std::string list = text.substr(5, text.size() - 6);
    Pack pack;
    pack.push = list == "push" || list.starts_with("push,");
    pack.pop = list == "pop";
    if (list.empty()) {
        pack.alignment = 0;
    } else if (!pack.pop && list != "push" && list != "show") {
        pack.alignment = pack_alignment(pack.push ? std::string_view(list).substr(5) : list);
        if (!pack.alignment) {
            return std::nullopt;
        }
    }
    return pack;
}

/// Drivers need the extensions, also those that the portable language has without a pragma.
bool is_without_effect(std::string_view text) {
    const translate::Pragma pragma = translate::read_pragma(text);
    return pragma.row == nullptr ||
           (pragma.row->treatment == translate::Treatment::harmless && pragma.name != "OPENCL EXTENSION");
}

} // namespace

void Parser::handle_pragma(std::uint32_t token) {
    std::string_view text = tree_.tokens[token].text;
    tree_.tokens[token].no_effect = is_without_effect(text);
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
    } else if (translate::forbids_contraction(tree_.tokens[token].text)) {
        tree_.contracts = false;
    }
}

void Parser::pack_pragma(std::uint32_t token) {
    const std::string_view text = tree_.tokens[token].text;
    const std::optional<Pack> pack = parse_pack(text);
    if (!pack) {
        error(token, "the pragma " + translate::quoted(text.substr(0, 80)) +
                         " is not understood; write pack(n), pack(), pack(push), pack(push, n) or pack(pop), "
                         "where n is 1, 2, 4, 8 or 16");
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
