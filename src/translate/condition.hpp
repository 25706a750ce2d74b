// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ferry::translate {

/// The value of the expression after #if, with all macros expanded and `defined` replaced. Empty after an
/// error. `directive` is "#if" or "#elif", for messages. The arithmetic is 64-bit two's complement with
/// wrap-around.
std::optional<bool> evaluate(std::span<const Token> tokens, Position at, std::string_view directive,
                             std::size_t depth_limit, Diagnostics& diagnostics);

/// The value of 'a' as a signed char or of L'a' as an int; 'ab' has the value that compilers give it.
std::optional<std::int64_t> character_value(std::string_view text);
/// An integer constant's value, and whether its suffix or size makes it unsigned. After an error, a message.
struct Integer {
    std::uint64_t bits = 0;
    bool is_unsigned = false;
    const char* error = nullptr;
};
Integer integer_value(std::string_view text);

} // namespace ferry::translate
