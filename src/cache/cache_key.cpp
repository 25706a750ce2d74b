// SPDX-License-Identifier: Apache-2.0
#include "cache_key.hpp"

#include <ferry/version.hpp>

#include <charconv>

namespace ferry::cache {
namespace {

void put(std::string& text, std::string_view word) {
    text += std::to_string(word.size());
    text += ':';
    text += word;
    text += ',';
}

std::optional<std::string_view> take(std::string_view& text) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.size() < 2 || size > text.size() - 2 || text[0] != ':' || text[size + 1] != ',') {
        return std::nullopt;
    }
    const std::string_view word = text.substr(1, size);
    text.remove_prefix(size + 2);
    return word;
}

} // namespace

Key::Key() : Key(version()) {}

Key& Key::add(std::string_view name, std::string_view value) {
    put(text_, name);
    put(text_, value);
    return *this;
}

Key& Key::add(std::string_view name, std::uint64_t value) {
    return add(name, std::to_string(value));
}

std::optional<Fields> fields_of(std::string_view text) {
    Fields fields;
    while (!text.empty()) {
        const auto name = take(text);
        const auto value = name ? take(text) : std::nullopt;
        if (!value) {
            return std::nullopt;
        }
        fields.emplace_back(*name, *value);
    }
    return fields;
}

} // namespace ferry::cache
