// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

// Pragmas and attributes: each is implemented, known to be harmless, or refused with its place.
namespace ferry::translate {

enum class Treatment : std::uint8_t {
    implemented,
    harmless, ///< dropped: the result of a correct kernel does not depend on it
    refused,
};

/// A row of the table in docs/kernel-language.md.
struct Annotation {
    std::string_view names; ///< separated by ", "; a pragma may have two words: "clang loop"
    Treatment treatment = Treatment::refused;
    std::string_view reason; ///< the effect, or the message of a refusal
};

std::span<const Annotation> known_pragmas() noexcept;
/// Names without the underscores around them: "packed" is "__packed__" too.
std::span<const Annotation> known_attributes() noexcept;

/// Leaves the implemented ones in the tokens, in their plain spelling, and drops the harmless ones. All
/// others, and those that are not in the tables, are errors.
void read_annotations(std::vector<Token>& tokens, Files& files, Diagnostics& diagnostics);

/// Whether the pragma asks that a * b + c is rounded twice.
bool forbids_contraction(const Token& token);

} // namespace ferry::translate
