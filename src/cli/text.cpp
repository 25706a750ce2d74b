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

std::string printable(std::string_view text) {
    std::string out(text);
    std::ranges::replace_if(
        out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return out;
}

} // namespace cli
