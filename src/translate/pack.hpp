// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <cstddef>
#include <vector>

namespace ferry::translate {

/// `#pragma pack`. It affects only structs of the text, not those that the translator generates.
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
