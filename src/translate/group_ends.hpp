// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numbering.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// "#line 12 "name"", with the line end.
std::string line_marker(std::size_t number, std::string_view name);

/// Lines inserted into a group of #if count as lines if that group is skipped, but line markers in it have no
/// effect then. This class restores the numbers of the following lines, whichever group was read.
class GroupEnds {
public:
    /// Call before Numbering::line() for each line in order, and before the line is appended to `out`, which
    /// may get other lines. `skipped`: whether the preprocessor certainly skips the text before it.
    /// `comment`: whether the line begins in a comment. Returns true if the next line needs a line marker.
    bool line(std::string_view code, std::size_t number, bool skipped, bool comment,
              const Numbering& numbering, std::string& out);
    /// Lines of another file were inserted.
    void put_in();

private:
    struct Place {
        std::string name;
        std::size_t more = 0; ///< See Numbering.
        friend bool operator==(const Place&, const Place&) = default;
    };
    struct End {
        std::size_t at; ///< In the result.
        Place place;
        bool comment;
    };
    struct Conditional {
        Place before;
        std::vector<End> ends; ///< Of groups that may be read.
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
