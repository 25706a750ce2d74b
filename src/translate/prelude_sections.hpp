// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::translate {

/// The order of sections in the result: those of a later phase come after all earlier ones.
enum class Phase : std::uint8_t { always, with_double, with_half, with_vector, with_halves };
inline constexpr std::size_t phase_count = 5;

struct Section {
    Phase phase = Phase::always;
    std::string_view name;               ///< The replacement of $. Empty if $ stays.
    std::string_view body;               ///< Lines, including comments.
    std::vector<std::string_view> needs; ///< In addition to each identifier of its text.

    std::string text() const;
};

/// The sections of prelude/*.inc for one dialect. core.inc has the grammar of the files. Views into the text,
/// because reading it delays a new process's first kernel.
class Sections {
public:
    /// The text must outlive it.
    Sections(Dialect dialect, std::string_view text);

    const std::vector<Section>& all() const noexcept { return sections_; }
    /// A name and the index of a section that provides it.
    using Provider = std::pair<std::string_view, std::size_t>;
    /// The sections that provide a name, in the order of the files.
    std::span<const Provider> providing(std::string_view name) const;

private:
    struct Heading;
    void add(const Heading& heading, std::string_view body);

    std::vector<Section> sections_;
    std::vector<Provider> providers_; ///< Sorted.
    std::deque<std::string> made_;    ///< Names that are in no file.
};

/// Each identifier of a text once, in order of appearance. Views into the text.
std::vector<std::string_view> identifiers_of(std::string_view text);

/// The sections of a dialect, read once.
const Sections& sections(Dialect dialect);

} // namespace ferry::translate
