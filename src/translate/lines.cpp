// SPDX-License-Identifier: Apache-2.0
#include "lines.hpp"

#include <algorithm>

namespace ferry::translate {
namespace {

constexpr std::string_view line_blanks = " \t\r\v\f";

bool is_word_letter(char c) {
    return c == '_' || c == '$' || static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// The character that ends the literal or file name that begins with c after this code. 0 if none does.
char closing(char c, bool include) {
    return c == '"' || (c == '\'' && !include) ? c : c == '<' && include ? '>' : '\0';
}

} // namespace

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(line_blanks);
    return first == std::string_view::npos
               ? std::string_view()
               : text.substr(first, text.find_last_not_of(line_blanks) + 1 - first);
}

std::string_view take_word(std::string_view& text) {
    text = trimmed(text);
    const auto end = std::find_if_not(text.begin(), text.end(), is_word_letter);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    return word;
}

std::string_view take_line(std::string_view& text, std::size_t& lines) {
    std::size_t end = 0;
    for (lines = 1;; ++lines, ++end) {
        end = std::min(text.find('\n', end), text.size());
        const std::string_view line = text.substr(0, end);
        if (end == text.size() || !(line.ends_with('\\') || line.ends_with("\\\r"))) {
            text.remove_prefix(std::min(end + 1, text.size()));
            return line;
        }
    }
}

std::string code_of(std::string_view line, bool& comment) {
    std::string code;
    char quote = 0;
    bool include = false; // Whether a file name follows, in which \ is an ordinary character.
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view rest = line.substr(i);
        if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
            i += rest.find('\n');
        } else if (comment) {
            comment = !rest.starts_with("*/");
            i += comment ? 0 : 1;
        } else if (quote != 0) {
            code += line[i];
            if (line[i] == '\\' && i + 1 < line.size() && !include) {
                code += line[++i];
            } else if (line[i] == quote) {
                quote = 0;
                include = false;
            }
        } else if (rest.starts_with("//")) {
            break;
        } else if (rest.starts_with("/*")) {
            comment = true;
            code += ' ';
            ++i;
        } else {
            if (line[i] == '<' || line[i] == '"') {
                const auto name = directive(code, "include");
                include = name && name->empty();
            }
            quote = closing(line[i], include);
            code += line[i];
        }
    }
    return code;
}

std::optional<std::string_view> directive(std::string_view code, std::string_view name) {
    code = trimmed(code);
    const bool digraph = code.starts_with("%:");
    if (!digraph && !code.starts_with('#')) {
        return std::nullopt;
    }
    code.remove_prefix(digraph ? 2 : 1);
    return take_word(code) == name ? std::optional(trimmed(code)) : std::nullopt;
}

} // namespace ferry::translate
