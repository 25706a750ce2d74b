// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// Follows #if and its kin through a text whose macros are not all known, for options and compilers define
/// some: which lines are left out for certain. Of macros it knows what the text itself has said.
class Branches {
public:
    struct Macro {
        bool defined = false;
        std::optional<std::int64_t> value; ///< of one that is an integer constant
        friend bool operator==(const Macro&, const Macro&) = default;
    };
    using Known = std::optional<Macro>; ///< nothing: it may be defined or not

    /// The next line's code, without comments.
    void line(std::string_view code);
    /// Whether the preprocessor certainly skips what comes next.
    bool left_out() const { return !open_.empty() && open_.back().read == false; }
    Known macro(std::string_view name) const;
    /// For what may define or undefine anything; but the guards of files that are open, or they would
    /// include themselves for ever.
    void forget();
    void begin_file(const std::string& once); ///< `once`: the macro that does what its #pragma once does
    void end_file();

private:
    using Macros = std::map<std::string, Known, std::less<>>;
    using Certain = std::optional<bool>; ///< nothing: it cannot be told

    struct Condition {
        Certain value;
        std::string name; ///< of the macro that it asks for, if that is all
        bool defined = false;
    };
    struct Conditional {
        Condition condition; ///< the first group's
        Certain read;        ///< whether the group that is open is read, if none before it is
        Certain read_before; ///< whether a group before it is
        bool has_else = false;
        bool ended = false;             ///< whether a group that may be read is behind us
        Macros before;                  ///< what the open group changed, as it was
        Macros same;                    ///< what all groups so far made the same
        std::vector<std::string> other; ///< what they did not
    };

    struct File {
        std::string once;
        std::string guard; ///< of a file that begins with #ifndef or #if !defined
        bool begun = false;
    };

    void note_guard(std::string_view code);
    bool guards(std::string_view name) const;
    void begin(const Condition& condition);
    bool other_group(std::string_view code);
    void next_group();
    void read_if(Certain condition);
    void end_group();
    void end_with(const Macros& changed);
    void end();
    void change(std::string_view code);
    void assume(const Condition& condition, bool holds);
    void set(std::string_view name, const Known& macro);
    void put(std::string_view name, const Known& macro);
    Condition test(std::string_view text) const;
    Condition test_defined(std::string_view text, bool wanted) const;

    std::map<std::string, Macro, std::less<>> macros_;
    std::vector<Conditional> open_;
    std::vector<File> files_;
    bool given_up_ = false;
};

} // namespace ferry::translate
