// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/capabilities.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/// "139.8 GiB", "512 MiB", "48 KiB", "100 bytes".
std::string bytes_text(std::uint64_t bytes);
/// `text` with trailing blanks up to a width in characters (not bytes).
std::string padded(std::string_view text, std::size_t width);
std::size_t text_width(std::string_view text);
/// "1 warning", "0 warnings".
std::string counted(std::ptrdiff_t count, std::string_view word);
/// Replaces control characters by blanks, because text from a driver could otherwise control the terminal,
/// and bytes that are not UTF-8 by question marks.
std::string printable(std::string_view text);

/// Whether a fact is unknown because its measurement was interrupted.
template <class T>
bool is_doubted(const ferry::Fact<T>& fact) {
    return fact.interruption == ferry::Interruption::killed ||
           fact.interruption == ferry::Interruption::crashed;
}

} // namespace cli
