// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::translate {

struct PackPragma {
    bool push = false, pop = false;
    std::optional<std::size_t> alignment; ///< In bytes. 0: the compiler's own. Empty: unchanged.
};
/// Parses "pack(push, 4)" in the forms that all compilers understand alike. Empty for another form.
std::optional<PackPragma> parse_pack(std::string_view pragma);
/// The error for another form.
std::string not_understood_pack(std::string_view pragma);

/// `#pragma pack`. It affects only structs of the text, not those that are generated.
class Pack {
public:
    Pack(Files& files, Diagnostics& diagnostics) : files_(files), diagnostics_(diagnostics) {}

    /// The tokens with a `pack(push, n)` and a `pack(pop)` around each file-scope declaration that defines a
    /// struct while an alignment is set, and no other `pack`.
    std::vector<Token> applied(std::vector<Token> tokens);

private:
    void read(const Token& pragma);
    Token pragma(const Token& at, std::string text) const;

    Files& files_;
    Diagnostics& diagnostics_;
    std::size_t alignment_ = 0; ///< 0: the compiler's own.
    std::vector<std::size_t> pushed_;
};

} // namespace ferry::translate
