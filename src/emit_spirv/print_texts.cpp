// SPDX-License-Identifier: Apache-2.0
#include "print_texts.hpp"

#include "translate/printf_text.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace ferry::emit_spirv {
namespace {

constexpr std::string_view prefix = "ferry_printf:";
constexpr unsigned most_lanes = 16;

void escape(std::string& to, char byte) {
    const auto code = static_cast<unsigned char>(byte);
    if (code >= ' ' && code <= '~' && byte != '\\') {
        to += byte;
        return;
    }
    to += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) {
        to += static_cast<char>('0' + (code >> shift & 7U));
    }
}

std::optional<std::string> unescaped(std::string_view text) {
    std::string made;
    for (; !text.empty(); text.remove_prefix(1)) {
        if (text.front() != '\\') {
            made += text.front();
            continue;
        }
        unsigned code = 0;
        if (text.size() < 4 ||
            std::from_chars(text.data() + 1, text.data() + 4, code, 8).ptr != text.data() + 4 || code > 255) {
            return std::nullopt;
        }
        made += static_cast<char>(code);
        text.remove_prefix(3);
    }
    return made;
}

/// The number at the beginning of a text, which is removed from it.
std::optional<std::uint32_t> number(std::string_view& text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool takes(std::string_view& text, char letter) {
    const bool taken = text.starts_with(letter);
    text.remove_prefix(taken ? 1 : 0);
    return taken;
}

} // namespace

std::string print_string(std::uint32_t number, const PrintText& text) {
    std::string made = std::string(prefix) + std::to_string(number) + ":";
    for (const PrintText::Value& value : text.values) {
        made += std::to_string(value.lanes) + (value.bytes == 0 ? "s" : value.bytes == 4 ? "w" : "d");
    }
    made += ":";
    for (const char byte : text.text) {
        escape(made, byte);
    }
    return made;
}

bool PrintTexts::is_print_string(std::string_view string) noexcept {
    return string.starts_with(prefix);
}

bool PrintTexts::add(std::string_view string) {
    string.remove_prefix(prefix.size());
    const auto own = number(string);
    if (!own || *own == 0 || !takes(string, ':')) {
        return false;
    }
    PrintText made;
    while (!takes(string, ':')) {
        const auto lanes = number(string);
        if (!lanes || *lanes == 0 || *lanes > most_lanes || string.empty()) {
            return false;
        }
        const std::size_t kind = std::string_view("swd").find(string.front());
        if (kind == std::string_view::npos) {
            return false;
        }
        made.values.push_back({*lanes, static_cast<unsigned>(4 * kind)});
        string.remove_prefix(1);
    }
    auto text = unescaped(string);
    if (!text) {
        return false;
    }
    made.text = std::move(*text);
    return texts_.emplace(*own, std::move(made)).second;
}

std::string PrintTexts::take(std::span<const std::uint32_t>& records) const {
    const auto rest = std::exchange(records, {});
    const auto found = rest.empty() ? texts_.end() : texts_.find(rest[0]);
    if (found == texts_.end()) {
        return "";
    }
    std::vector<translate::PrintValue> values;
    std::size_t at = 1;
    for (const PrintText::Value& value : found->second.values) {
        if (value.words() > rest.size() - at) {
            return "";
        }
        translate::PrintValue& made = values.emplace_back();
        made.bytes = value.bytes;
        if (value.bytes == 0) {
            const auto text = texts_.find(rest[at]);
            made.text = text != texts_.end() ? std::string_view(text->second.text) : "";
        }
        for (std::size_t i = 0; i < value.words(); i += value.bytes == 8 ? 2 : 1) {
            made.lanes.push_back(value.bytes == 8 ? std::uint64_t{rest[at + i + 1]} << 32U | rest[at + i]
                                                  : rest[at + i]);
        }
        at += value.words();
    }
    records = rest.subspan(at);
    return translate::printf_text(found->second.text, values);
}

} // namespace ferry::emit_spirv
