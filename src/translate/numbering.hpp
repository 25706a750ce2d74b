// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// #if and related directives.
bool begins_conditional(std::string_view code);
/// #else, #endif and related directives.
bool begins_group(std::string_view code);

/// The line numbers of a file according to its own #line directives. A branch that may or may not be read is
/// treated as read.
class Numbering {
public:
    explicit Numbering(std::string name) : now_{std::move(name), 0} {}

    /// Call with the code of each line in order. `next`: the number in the file of the following line.
    /// `was_left_out`: whether the preprocessor certainly skips the text before it; `left_out`: the text
    /// after it.
    void line(std::string_view code, std::size_t next, bool was_left_out, bool left_out);
    const std::string& name() const noexcept { return now_.name; }
    std::size_t of(std::size_t line) const noexcept { return line + now_.more; }

private:
    struct Place {
        std::string name;
        std::size_t more = 0; ///< Difference to the numbers in the file, modulo 2^64.
    };
    struct Conditional {
        Place before; ///< At the beginning of its groups.
        Place last;   ///< At the end of the last group that may be read.
    };

    void set(std::string_view code, std::size_t next);

    Place now_;
    std::vector<Conditional> open_;
};

} // namespace ferry::translate
