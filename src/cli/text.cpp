// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include "base/decimal.hpp"

#include <algorithm>

namespace cli {

std::string bytes_text(std::uint64_t bytes) {
    constexpr std::uint64_t kib = 1024;
    constexpr std::uint64_t mib = kib * kib;
    constexpr std::uint64_t gib = kib * mib;
    const auto in = [bytes](std::uint64_t unit) {
        return static_cast<double>(bytes) / static_cast<double>(unit);
    };
    if (bytes >= gib) {
        return ferry::detail::decimal(in(gib), 1) + " GiB";
    }
    if (bytes >= mib) {
        return ferry::detail::decimal(in(mib), 0) + " MiB";
    }
    if (bytes >= kib) {
        return ferry::detail::decimal(in(kib), 0) + " KiB";
    }
    return std::to_string(bytes) + " bytes";
}

std::size_t text_width(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    const std::size_t used = text_width(text);
    out.append(used < width ? width - used : 0, ' ');
    return out;
}

std::string counted(std::ptrdiff_t count, std::string_view word) {
    return std::to_string(count) + ' ' + std::string(word) + (count == 1 ? "" : "s");
}

namespace {

/// Bytes of the UTF-8 character at the start of `text`. 0 if there is none.
std::size_t character_bytes(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = at(0);
    const std::size_t bytes = first < 0x80   ? 1
                              : first < 0xC2 ? 0
                              : first < 0xE0 ? 2
                              : first < 0xF0 ? 3
                              : first < 0xF5 ? 4
                                             : 0;
    if (bytes > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((at(i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    // Longer forms than needed, surrogates, and numbers above U+10FFFF.
    const bool invalid = bytes > 2 && ((first == 0xE0 && at(1) < 0xA0) || (first == 0xED && at(1) > 0x9F) ||
                                       (first == 0xF0 && at(1) < 0x90) || (first == 0xF4 && at(1) > 0x8F));
    return invalid ? 0 : bytes;
}

} // namespace

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::size_t bytes = character_bytes(text);
        const auto first = static_cast<unsigned char>(text.front());
        if (bytes == 0) {
            out += '?';
        } else if (first < 0x20 || first == 0x7F) {
            out += ' ';
        } else {
            out += text.substr(0, bytes);
        }
        text.remove_prefix(std::max<std::size_t>(bytes, 1));
        if (first == '\n') { // The indentation of a line that follows another one is not shown.
            text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        }
    }
    return out;
}

} // namespace cli
