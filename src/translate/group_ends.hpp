// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numbering.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// "#line 12 "name"", with the line's end.
std::string line_marker(std::size_t number, std::string_view name);

/// What is put into a group of #if counts as lines for who skips that group too, markers in it do not. Here
/// those behind it get their numbers again, whichever group was read.
class GroupEnds {
public:
    /// In front of Numbering::line() for each line in turn, and before the line is put into `out`, which may
    /// get others. `skipped`: whether the preprocessor certainly skips what is in front of it; `comment`:
    /// whether the line begins in one. True if the next line is to be told its number.
    bool line(std::string_view code, std::size_t number, bool skipped, bool comment,
              const Numbering& numbering, std::string& out);
    /// Lines that are not the file's were put in.
    void put_in();

private:
    struct Place {
        std::string name;
        std::size_t more = 0; ///< see Numbering
        friend bool operator==(const Place&, const Place&) = default;
    };
    struct End {
        std::size_t at; ///< in the result
        Place place;
        bool comment;
    };
    struct Conditional {
        Place before;
        std::vector<End> ends; ///< of groups that may be read
        bool put_in = false;
        bool has_else = false;
    };
    struct Insertion {
        std::size_t at;
        std::string text;
    };

    static std::optional<std::vector<Insertion>> corrections(const Conditional& conditional,
                                                             std::size_t number, const std::string& out);
    static bool end(const Conditional& conditional, std::size_t number, std::string& out);

    std::vector<Conditional> open_;
};

} // namespace ferry::translate
