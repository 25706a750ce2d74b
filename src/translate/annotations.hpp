// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// Pragmas and attributes: each is implemented, known to be harmless, or refused.
namespace ferry::translate {

enum class Treatment : std::uint8_t {
    implemented,
    harmless, ///< Without effect: the result of a correct kernel does not depend on it.
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

/// The row of an attribute, with or without underscores around its name. Null if the table does not have it.
const Annotation* find_attribute(std::string_view name);

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

/// Whether the pragma requires that a * b + c is rounded twice.
bool forbids_contraction(std::string_view text);

} // namespace ferry::translate
