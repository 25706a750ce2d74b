// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <string_view>
#include <vector>

namespace ferry::translate {

/// Values of Token::mark.
enum Mark : std::uint8_t {
    painted = 1, ///< The name of a macro that must not be expanded here any more.
    stray = 2,   ///< Not a token of C: harmless until it reaches the result.
};

/// Preprocessing tokens of one text, without comments and splices. In a directive the line end is an end
/// token, which stays until end_directive().
class Lexer {
public:
    Lexer(Files& files, std::uint32_t file, Diagnostics& diagnostics);
    /// For a text that is not in a file and has no splices; all its tokens are at `at`. A NUL byte must
    /// follow the text.
    Lexer(std::string_view text, Position at, Diagnostics& diagnostics);

    void next(Token& token);
    Token next() {
        Token token;
        next(token);
        return token;
    }
    /// The name after #include, with its delimiters. Empty, with nothing read, if the text starts otherwise.
    Token header_name();

    void begin_directive() noexcept { in_directive_ = true; }
    /// Skips the rest of the directive.
    void end_directive();
    bool in_directive() const noexcept { return in_directive_; }
    /// For skipped text: no errors about invalid tokens.
    void quiet(bool on) noexcept { quiet_ = on; }
    Position here();

private:
    void unsplice(Files& files);
    void skip_blanks(Token& token);
    void skip_block_comment();
    void newline() noexcept;
    void pass_splices() noexcept;
    void error(Position at, std::string message);
    void check_utf8(std::string_view text, Position at);

    void lex_word(Token& token);
    void lex_number(Token& token);
    void lex_quoted(Token& token, const char* begin);
    void lex_punctuator(Token& token);

    Diagnostics* diagnostics_;
    const char* next_;
    const char* begin_;
    const char* end_; ///< The position of a NUL byte.
    const char* line_begin_;
    std::vector<std::size_t> splices_; ///< Offsets in the text without them.
    std::size_t splices_passed_ = 0;
    Position at_; ///< The column is unused in a file.
    bool in_file_;
    bool in_directive_ = false;
    bool line_start_ = true;
    bool quiet_ = false;
};

} // namespace ferry::translate
