// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// A part of a format of OpenCL's printf: a conversion, or the text before one.
struct PrintPiece {
    std::string_view text;             ///< As it is written. A conversion begins with its %.
    std::string_view flags;            ///< Of "-+ #0".
    unsigned width = 0;                ///< At most `most_print_width`, like the precision.
    std::optional<unsigned> precision; ///< Empty: the format has none.
    bool is_vector = false;            ///< With v and a number.
    unsigned lanes = 1;                ///< That number.
    std::string_view length;           ///< Of the letters h, l, L, j, z and t.
    char letter = '\0'; ///< Of the conversion, or % for "%%". 0: text. A blank: the format ends within it.
};
inline constexpr unsigned most_print_width = 100'000;

/// The pieces refer to the format.
std::vector<PrintPiece> print_pieces(std::string_view format);
/// Whether the conversion of a piece is one of OpenCL's.
bool is_conversion(const PrintPiece& piece);

/// A format of OpenCL's printf as one of C++, which has no vectors. A conversion of a vector ("%v4f") becomes
/// one for each component, with commas between them; then `vectors` becomes true. The prelude's fy_printf
/// passes the components.
std::string printf_format(std::string_view format, bool& vectors);

} // namespace ferry::translate
