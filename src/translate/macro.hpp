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
    std::int32_t parameter = -1; ///< Its index. -1: the token itself.
    bool stringized = false;     ///< # is before the parameter.
    bool pasted = false;         ///< ## is between the previous operand and this one.
};

enum class Builtin : std::uint8_t { none, line, file, counter };

struct Macro {
    Token name;
    std::vector<std::string_view> parameters; ///< If variadic, the last one takes all remaining arguments.
    std::vector<Operand> body;
    bool function_like = false;
    bool variadic = false;
    Builtin builtin = Builtin::none;
    bool disabled = false; ///< Its own body is being scanned.
};

/// The definition after #define, up to the line end. Empty after an error.
std::optional<Macro> parse_definition(Lexer& lexer, Diagnostics& diagnostics);
/// Equality in the sense of the standard: the same parameters, the same tokens, blanks in the same places.
bool same_definition(const Macro& a, const Macro& b);

class MacroTable {
public:
    MacroTable();
    Macro* find(std::string_view name) const noexcept;
    /// Replaces an earlier definition of the name. Macros keep their address until the table is destroyed, so
    /// that one can be undefined in its own arguments.
    void define(Macro macro);
    void undefine(std::string_view name) { names_.erase(name); }
    /// Saves the present meaning of the name, also if it is not a macro.
    void save(std::string_view name) { saved_[name].push_back(find(name)); }
    /// Restores the meaning that was saved last, and removes it. Returns false if none is saved.
    bool restore(std::string_view name);

private:
    /// Most identifiers are not macros, which their first byte and length show.
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
