// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cli {

/// "139.8 GiB", "512 MiB", "48 KiB", "100 bytes".
std::string bytes_text(std::uint64_t bytes);
/// `text` with blanks behind it up to `width` characters (not bytes).
std::string padded(std::string_view text, std::size_t width);
std::size_t text_width(std::string_view text);
/// Without control characters, which a driver's text might hold and a terminal would obey.
std::string printable(std::string_view text);

} // namespace cli
