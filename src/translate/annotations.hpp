// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Pragmas and attributes: each is implemented, known to be harmless, or refused.
namespace ferry::translate {

enum class Treatment : std::uint8_t {
    implemented,
    harmless, ///< Dropped: the result of a correct kernel does not depend on it.
    refused,
};

/// A row of the table in docs/kernel-language.md.
struct Annotation {
    std::string_view names; ///< Separated by ", ". A pragma may have two words: "clang loop".
    Treatment treatment = Treatment::refused;
    std::string_view reason; ///< The effect, or the message of a rejection.
};

std::span<const Annotation> known_pragmas() noexcept;
/// Names without the underscores around them: "packed" also covers "__packed__".
std::span<const Annotation> known_attributes() noexcept;

/// Keeps the implemented ones in the tokens, in their plain spelling, and drops the harmless ones. All
/// others, and those that are not in the tables, are errors.
void read_annotations(std::vector<Token>& tokens, Files& files, Diagnostics& diagnostics);

struct Pragma {
    std::string name; ///< One word or two, as in the table.
    std::string_view rest;
    const Annotation* row = nullptr; ///< Null if the table does not have it.
};

Pragma read_pragma(std::string_view text);

/// The message about a pragma that is refused. Empty if it is not.
std::string refusal_of_pragma(std::string_view text);
/// The same for an attribute.
std::string refusal_of_attribute(std::string_view name);

/// The message about an unknown word before the name of a kernel.
std::string unknown_before_kernel(std::string_view word, std::string_view kernel);

/// Whether the pragma requires that a * b + c is rounded twice.
bool forbids_contraction(const Token& token);

} // namespace ferry::translate
