// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "diagnostics.hpp"
#include "token.hpp"

#include <string_view>
#include <vector>

namespace ferry::translate {

/// Values of Token::mark.
enum Mark : std::uint8_t {
    painted = 1, ///< the name of a macro that must not be expanded here any more
    stray = 2,   ///< no token of C: harmless until it reaches the result
};

/// Preprocessing tokens of one text, without comments and splices. In a directive the line's end is an end
/// token, which stays until end_directive().
class Lexer {
public:
    Lexer(Files& files, std::uint32_t file, Diagnostics& diagnostics);
    /// Of a text that stands in no file and has no splices; its tokens all stand at `at`. A NUL byte must
    /// follow the text.
    Lexer(std::string_view text, Position at, Diagnostics& diagnostics);

    void next(Token& token);
    Token next() {
        Token token;
        next(token);
        return token;
    }
    /// What stands behind #include, delimiters included; empty, with nothing read, if it starts otherwise.
    Token header_name();

    void begin_directive() noexcept { in_directive_ = true; }
    /// Leaves out what is left of the directive.
    void end_directive();
    bool in_directive() const noexcept { return in_directive_; }
    /// Skipped text: no complaints about what is no token.
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
    const char* end_; ///< a NUL byte stands there
    const char* line_begin_;
    std::vector<std::size_t> splices_; ///< offsets in the text without them
    std::size_t splices_passed_ = 0;
    Position at_; ///< column unused in a file
    bool in_file_;
    bool in_directive_ = false;
    bool line_start_ = true;
    bool quiet_ = false;
};

} // namespace ferry::translate
