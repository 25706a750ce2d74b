// SPDX-License-Identifier: Apache-2.0
#include "annotation.hpp"
#include "parser.hpp"

#include <algorithm>
#include <array>
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

/// Words that cannot begin an expression. `sizeof` can.
constexpr std::array no_expression{
    std::string_view("auto"),     std::string_view("break"),    std::string_view("case"),
    std::string_view("const"),    std::string_view("constant"), std::string_view("continue"),
    std::string_view("default"),  std::string_view("do"),       std::string_view("else"),
    std::string_view("enum"),     std::string_view("extern"),   std::string_view("for"),
    std::string_view("global"),   std::string_view("goto"),     std::string_view("if"),
    std::string_view("inline"),   std::string_view("kernel"),   std::string_view("local"),
    std::string_view("private"),  std::string_view("register"), std::string_view("restrict"),
    std::string_view("return"),   std::string_view("static"),   std::string_view("struct"),
    std::string_view("switch"),   std::string_view("typedef"),  std::string_view("union"),
    std::string_view("volatile"), std::string_view("while"),    std::string_view("__constant"),
    std::string_view("__global"), std::string_view("__kernel"), std::string_view("__local"),
    std::string_view("__private")};

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
        pack_pragma(token, text);
    } else if (word == "unroll" || word == "nounroll") {
        std::string_view rest = text;
        if (const std::string_view first = take_word(rest);
            std::find(no_expression.begin(), no_expression.end(), first) != no_expression.end()) {
            error(token, "#pragma " + std::string(word) + " needs a number, not " + translate::quoted(first));
        }
        unroll_ = word == "unroll" ? static_cast<std::uint32_t>(number_in(text).value_or(0)) : 1U;
    } else if (translate::forbids_contraction(tree_.tokens[token])) {
        tree_.contracts = false;
    } else {
        const std::string two = std::string(word) + ' ' + std::string(take_word(text));
        const translate::Annotation* known = find_annotation(translate::known_pragmas(), two);
        known = known != nullptr ? known : find_annotation(translate::known_pragmas(), word);
        if (known == nullptr || known->treatment == translate::Treatment::refused) {
            error(token, "the pragma " + translate::quoted(word.empty() ? tree_.tokens[token].text : word) +
                             " is not supported" +
                             (known == nullptr ? "" : ": " + std::string(known->reason)));
        }
    }
}

void Parser::pack_pragma(std::uint32_t token, std::string_view arguments) {
    const bool push = arguments.find("push") != std::string_view::npos;
    const bool pop = arguments.find("pop") != std::string_view::npos;
    const auto number = number_in(arguments);
    if (number && *number != 1 && *number != 2 && *number != 4 && *number != 8 && *number != 16) {
        error(token,
              "the argument of #pragma pack must be 1, 2, 4, 8 or 16, but it is " + std::to_string(*number));
        return;
    }
    if (push) {
        pack_stack_.push_back(pack_);
    }
    if (pop) {
        if (pack_stack_.empty()) {
            warning(token, "#pragma pack(pop) has no pack(push) before it");
            return;
        }
        pack_ = pack_stack_.back();
        pack_stack_.pop_back();
    }
    if (number) {
        pack_ = *number;
    } else if (!push && !pop) {
        pack_ = 0;
    }
}

} // namespace ferry::opencl_c
