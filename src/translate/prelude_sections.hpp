// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dialect.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// When a section stands in the result: those of a later phase come after all of the earlier.
enum class Phase : std::uint8_t { always, with_double, with_vector };
inline constexpr std::size_t phase_count = 3;

struct Section {
    Phase phase = Phase::always;
    std::vector<std::string> provides;
    std::string text;
    std::vector<std::string> needs; ///< besides each identifier of its text
};

/// The sections of prelude/*.inc for one dialect. The grammar of the files stands in core.inc.
class Sections {
public:
    Sections(Dialect dialect, std::string_view text);

    const std::vector<Section>& all() const noexcept { return sections_; }
    /// The sections that provide a name, in the order of the files.
    const std::vector<std::size_t>& providing(std::string_view name) const;

private:
    void add(Section section);

    std::vector<Section> sections_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_name_;
};

/// Each identifier of a text once, in order of appearance.
std::vector<std::string> identifiers_of(std::string_view text);

/// The sections of a dialect, read once.
const Sections& sections(Dialect dialect);

} // namespace ferry::translate
