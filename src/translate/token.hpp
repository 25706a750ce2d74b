// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The data passed between the stages of the compiler of kernels: preprocess() makes tokens of a text, and the
// later stages rearrange them. Positions always refer to the user's own files.
namespace ferry::translate {

/// A place in a file; lines and columns count from 1, columns in bytes.
struct Position {
    std::uint32_t file = 0; ///< Index into Files.
    std::uint32_t line = 0; ///< 0: nowhere.
    std::uint32_t column = 0;
};

enum class TokenKind : std::uint8_t {
    identifier, ///< Including keywords.
    number,
    character, ///< 'a', quotes included.
    string,    ///< "text", quotes included.
    punctuator,
    pragma, ///< The text after #pragma, as one token.
    end,
};

struct Token {
    TokenKind kind = TokenKind::end;
    bool space_before = false; ///< Blanks or a comment are before it on its line.
    bool line_start = false;   ///< The first of its line.
    std::uint8_t mark = 0;     ///< For the preprocessor; 0 in its result.
    bool no_effect = false;    ///< Set by the parser: a pragma or attribute that compilers need not read.
    std::string_view text;     ///< Lives in Files.
    Position at;               ///< For a token from a macro: the position of the outermost macro's name.

    bool is(std::string_view t) const noexcept {
        return text == t && kind != TokenKind::string && kind != TokenKind::character;
    }
    bool is_identifier() const noexcept { return kind == TokenKind::identifier; }
};

/// The texts of one translation. Returned views stay valid until it is destroyed.
class Files {
public:
    struct File {
        std::string name;
        std::string text;
    };

    /// A carriage return that no line feed follows ends a line, as in compilers, and is stored as a line
    /// feed.
    std::uint32_t add(std::string name, std::string text);
    const File& operator[](std::uint32_t file) const noexcept { return files_[file]; }
    std::size_t size() const noexcept { return files_.size(); }
    /// Stores the spelling of a token that is in no file.
    std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }
    /// A line of a file without its line end. Empty beyond the last one.
    std::string_view line(std::uint32_t file, std::uint32_t number) const;

private:
    std::deque<File> files_;
    std::deque<std::string> kept_;
};

/// Whether the two would be read differently if printed without a blank between them: `- -x`, `1 .x`, `L
/// "x"`. Checks the spellings only, for C and C++ alike; a false positive costs a blank.
bool needs_space(const Token& left, const Token& right);
/// The tokens as a text that reads as the same tokens: a new line where a token starts one, `#pragma` on
/// separate lines.
std::string print(std::span<const Token> tokens);

} // namespace ferry::translate
