// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// #if and its kin.
bool begins_conditional(std::string_view code);
/// #else, #endif and their kin.
bool begins_group(std::string_view code);

/// Which places a file's lines have by its own #line directives. In a branch that may be read or not, as if
/// it is.
class Numbering {
public:
    explicit Numbering(std::string name) : now_{std::move(name), 0} {}

    /// The code of each line in turn; `next`: the number in the file of the one behind it. `was_left_out`:
    /// whether the preprocessor certainly skips what is in front of it, `left_out`: what is behind.
    void line(std::string_view code, std::size_t next, bool was_left_out, bool left_out);
    const std::string& name() const noexcept { return now_.name; }
    std::size_t of(std::size_t line) const noexcept { return line + now_.more; }

private:
    struct Place {
        std::string name;
        std::size_t more = 0; ///< what numbers have more than in the file, modulo 2^64
    };
    struct Conditional {
        Place before; ///< where its groups begin
        Place last;   ///< where the last group ends that may be read
    };

    void set(std::string_view code, std::size_t next);

    Place now_;
    std::vector<Conditional> open_;
};

} // namespace ferry::translate
