// SPDX-License-Identifier: Apache-2.0
#include "annotations.hpp"

#include "base/no_destructor.hpp"
#include "diagnostics.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <unordered_map>
#include <utility>

namespace ferry::translate {
namespace {

using Table = std::unordered_map<std::string_view, const Annotation*>;

Table table_of(std::span<const Annotation> rows) {
    Table table;
    for (const Annotation& row : rows) {
        for (std::string_view names = row.names; !names.empty();) {
            const std::size_t comma = std::min(names.find(", "), names.size());
            table.emplace(names.substr(0, comma), &row);
            names.remove_prefix(std::min(comma + 2, names.size()));
        }
    }
    return table;
}

const Annotation* find(const Table& table, std::string_view name) {
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

bool continues_word(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Removes and returns the first word of a pragma's text.
std::string_view first_word(std::string_view& text) {
    const auto end = std::find_if_not(text.begin(), text.end(), continues_word);
    const std::string_view word = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return word;
}

std::string_view plain(std::string_view attribute) {
    const bool underscores = attribute.size() > 4 && attribute.starts_with("__") && attribute.ends_with("__");
    return underscores ? attribute.substr(2, attribute.size() - 4) : attribute;
}

std::string refusal(std::string_view kind, std::string_view name, const Annotation* row) {
    return "the " + std::string(kind) + " " + translate::quoted(name.substr(0, 80)) +
           (row == nullptr ? " is not known, so it could change the result; remove it"
                           : " is refused: " + std::string(row->reason));
}

} // namespace

const Annotation* find_attribute(std::string_view name) {
    static detail::NoDestructor<const Table> table(table_of(known_attributes()));
    return find(*table, plain(name));
}

Pragma read_pragma(std::string_view text) {
    static detail::NoDestructor<const Table> table(table_of(known_pragmas()));
    Pragma pragma;
    pragma.rest = text;
    pragma.name = first_word(pragma.rest);
    std::string_view behind = pragma.rest;
    std::string both = pragma.name + " " + std::string(first_word(behind));
    if (const Annotation* const row = find(*table, both)) {
        return {std::move(both), behind, row};
    }
    pragma.row = find(*table, pragma.name);
    if (pragma.row == nullptr && (pragma.name == "OPENCL" || pragma.name == "STDC" || pragma.name == "GCC" ||
                                  pragma.name == "clang")) {
        pragma.name = std::move(both);
    }
    return pragma;
}

std::string refusal_of_pragma(std::string_view text) {
    const Pragma pragma = read_pragma(text);
    if (text.empty() || (pragma.row == nullptr && pragma.name.starts_with("OPENCL cl_"))) {
        return {}; // "OPENCL cl_khr_fp64 : enable" lacks the word EXTENSION, and has the same effect.
    }
    if (pragma.row == nullptr || pragma.row->treatment == Treatment::refused) {
        return refusal("pragma", pragma.row != nullptr ? pragma.name : text, pragma.row);
    }
    if (pragma.name.ends_with("FP_CONTRACT") && pragma.rest != "ON" && pragma.rest != "OFF" &&
        pragma.rest != "DEFAULT") {
        return "the pragma " + translate::quoted(pragma.name) + " takes ON, OFF or DEFAULT, not " +
               translate::quoted(pragma.rest.substr(0, 80));
    }
    return {};
}

std::string refusal_of_attribute(std::string_view name) {
    const Annotation* const row = find_attribute(name);
    return row == nullptr || row->treatment == Treatment::refused ? refusal("attribute", name, row)
                                                                  : std::string();
}

bool forbids_contraction(std::string_view text) {
    const Pragma pragma = read_pragma(text);
    return pragma.name.ends_with("FP_CONTRACT") && pragma.rest == "OFF";
}

} // namespace ferry::translate
