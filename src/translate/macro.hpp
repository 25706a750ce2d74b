// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "lexer.hpp"
#include "token.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ferry::translate {

/// One operand of a macro's body.
struct Operand {
    Token token;
    std::int32_t parameter = -1; ///< its index; -1: the token itself
    bool stringized = false;     ///< # stands before the parameter
    bool pasted = false;         ///< ## stands between the operand before and this one
};

enum class Builtin : std::uint8_t { none, line, file, counter };

struct Macro {
    Token name;
    std::vector<std::string_view> parameters; ///< the last one takes all the rest if variadic
    std::vector<Operand> body;
    bool function_like = false;
    bool variadic = false;
    Builtin builtin = Builtin::none;
    bool disabled = false; ///< its own body is being scanned
};

/// What stands behind #define, up to the line's end; nothing after an error.
std::optional<Macro> parse_definition(Lexer& lexer, Diagnostics& diagnostics);
/// The same in the standard's sense: same parameters, same tokens, blanks in the same places.
bool same_definition(const Macro& a, const Macro& b);

class MacroTable {
public:
    MacroTable();
    Macro* find(std::string_view name) const noexcept;
    /// Replaces an earlier one of the name. Macros stay where they are until the table is destroyed, so that
    /// one can be undefined in its own arguments.
    void define(Macro macro);
    void undefine(std::string_view name) { names_.erase(name); }
    /// Keeps what the name means now, also if it is no macro.
    void save(std::string_view name) { saved_[name].push_back(find(name)); }
    /// Gives the name the meaning that was kept last, and forgets it; false if none is kept.
    bool restore(std::string_view name);

private:
    /// Most identifiers are no macros, and their first byte and length tell.
    static std::size_t row(std::string_view name) noexcept {
        return static_cast<unsigned char>(name[0]) & 127u;
    }
    static std::uint64_t bit(std::string_view name) noexcept {
        return std::uint64_t{1} << (name.size() & 63u);
    }

    std::array<std::uint64_t, 128> lengths_{};
    std::unordered_map<std::string_view, Macro*> names_;
    std::unordered_map<std::string_view, std::vector<Macro*>> saved_;
    std::deque<Macro> macros_;
};

} // namespace ferry::translate
