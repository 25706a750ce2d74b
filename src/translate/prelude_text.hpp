// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace ferry::translate {

/// The files of prelude/, one after the other, split into pieces that every compiler accepts as a literal.
/// The build generates them (base/embed_texts.cmake).
extern const char* const prelude_pieces[];
extern const std::size_t prelude_piece_count;

} // namespace ferry::translate
