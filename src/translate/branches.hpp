// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

/// Follows #if and related directives through a text, to find the lines that are certainly excluded. Options
/// and compilers define some macros, so only macros defined by the text itself are known.
class Branches {
public:
    struct Macro {
        bool defined = false;
        std::optional<std::int64_t> value; ///< Of a macro that is an integer constant.
        friend bool operator==(const Macro&, const Macro&) = default;
    };
    using Known = std::optional<Macro>; ///< Empty: it may be defined or not.

    /// The code of the next line, without comments.
    void line(std::string_view code);
    /// Whether the preprocessor certainly skips the following lines.
    bool left_out() const { return !open_.empty() && open_.back().read == false; }
    Known macro(std::string_view name) const;
    /// Call for a line that may define or undefine any macro. Keeps the guards of open files, because these
    /// would otherwise include themselves forever.
    void forget();
    void begin_file(const std::string& once); ///< `once`: the macro that replaces the file's #pragma once.
    void end_file();

private:
    using Macros = std::map<std::string, Known, std::less<>>;
    using Certain = std::optional<bool>; ///< Empty: unknown.

    struct Condition {
        Certain value;
        std::string name; ///< The macro that it tests, if that is all.
        bool defined = false;
    };
    struct Conditional {
        Condition condition; ///< Of the first group.
        Certain read;        ///< Whether the open group is read, if none before it is.
        Certain read_before; ///< Whether a group before it is read.
        bool has_else = false;
        bool ended = false;             ///< Whether a group that may be read has ended.
        Macros before;                  ///< The macros changed by the open group, with their earlier state.
        Macros same;                    ///< The macros that all groups so far changed in the same way.
        std::vector<std::string> other; ///< The macros that they changed differently.
    };

    struct File {
        std::string once;
        std::string guard; ///< Of a file that begins with #ifndef or #if !defined.
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
