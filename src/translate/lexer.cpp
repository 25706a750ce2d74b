// SPDX-License-Identifier: Apache-2.0
#include "lexer.hpp"

#include "utf8.hpp"

#include <array>
#include <cstring>

namespace ferry::translate {
namespace {

enum Class : std::uint8_t { word_start = 1, word_part = 2, digit = 4, bad = 8 };

constexpr std::array<std::uint8_t, 256> classes = [] {
    std::array<std::uint8_t, 256> table{};
    for (std::size_t c = 0; c < 256; ++c) {
        if (c < 0x20 || c == 0x7f) {
            table[c] = bad;
        }
        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80) {
            table[c] = word_start | word_part;
        }
        if (c >= '0' && c <= '9') {
            table[c] = digit | word_part;
        }
    }
    return table;
}();

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is(char c, unsigned set) noexcept {
    return (classes[static_cast<unsigned char>(c)] & set) != 0;
}

std::string_view between(const char* begin, const char* end) noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
}

std::string in_hex(char c) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto value = static_cast<unsigned char>(c);
    return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

} // namespace

Lexer::Lexer(Files& files, std::uint32_t file, Diagnostics& diagnostics)
    : diagnostics_{&diagnostics}, at_{file, 1, 1}, in_file_{true} {
    const std::string& text = files[file].text;
    begin_ = text.data();
    end_ = begin_ + text.size();
    if (std::memchr(begin_, '\\', text.size()) != nullptr) {
        unsplice(files);
    }
    line_begin_ = begin_;
    next_ = between(begin_, end_).starts_with(byte_order_mark) ? begin_ + byte_order_mark.size() : begin_;
}

Lexer::Lexer(std::string_view text, Position at, Diagnostics& diagnostics)
    : diagnostics_{&diagnostics},
      next_{text.data()},
      begin_{next_},
      end_{next_ + text.size()},
      line_begin_{next_},
      at_{at},
      in_file_{false} {}

/// Continues with a copy of the text without backslashes at line ends, if it has any.
void Lexer::unsplice(Files& files) {
    std::string clean;
    const char* from = begin_;
    const char* p = begin_;
    while ((p = static_cast<const char*>(std::memchr(p, '\\', static_cast<std::size_t>(end_ - p)))) !=
           nullptr) {
        const char* after = p + 1;
        while (after != end_ && (*after == ' ' || *after == '\t' || *after == '\r')) {
            ++after;
        }
        if (after == end_ || *after != '\n') {
            p = after;
            continue;
        }
        clean.append(from, p);
        splices_.push_back(clean.size());
        p = from = after + 1;
    }
    if (!splices_.empty()) {
        clean.append(from, end_);
        const std::string_view kept = files.keep(std::move(clean));
        begin_ = kept.data();
        end_ = begin_ + kept.size();
    }
}

void Lexer::pass_splices() noexcept {
    while (splices_passed_ < splices_.size() && begin_ + splices_[splices_passed_] <= next_) {
        ++at_.line;
        line_begin_ = begin_ + splices_[splices_passed_];
        ++splices_passed_;
    }
}

Position Lexer::here() {
    if (!in_file_) {
        return at_;
    }
    pass_splices();
    return {at_.file, at_.line, static_cast<std::uint32_t>(next_ - line_begin_) + 1};
}

void Lexer::error(Position at, std::string message) {
    if (!quiet_) {
        diagnostics_->error(at, std::move(message));
    }
}

void Lexer::newline() noexcept {
    pass_splices();
    ++next_;
    if (in_file_) {
        ++at_.line;
        line_begin_ = next_;
    }
}

void Lexer::skip_block_comment() {
    const Position at = here();
    next_ += 2;
    for (;;) {
        if (next_ == end_) {
            // Reported in skipped groups too, because the following text was not meant to be a comment.
            diagnostics_->error(at, "this comment is never closed");
            return;
        }
        if (*next_ == '\n') {
            newline();
        } else if (*next_ == '*' && next_[1] == '/') {
            next_ += 2;
            return;
        } else {
            ++next_;
        }
    }
}

void Lexer::skip_blanks(Token& token) {
    for (;;) {
        switch (*next_) {
        case ' ':
        case '\t':
        case '\v':
        case '\f':
        case '\r':
            ++next_;
            token.space_before = true;
            continue;
        case '\n':
            if (in_directive_) {
                return;
            }
            newline();
            line_start_ = true;
            token.space_before = false;
            continue;
        case '/':
            if (next_[1] == '/') {
                const void* end = std::memchr(next_, '\n', static_cast<std::size_t>(end_ - next_));
                next_ = end == nullptr ? end_ : static_cast<const char*>(end);
            } else if (next_[1] == '*') {
                skip_block_comment();
            } else {
                return;
            }
            token.space_before = true;
            continue;
        default:
            if (next_ != end_ && is(*next_, bad)) {
                error(here(), "the text has a control byte, " + in_hex(*next_));
                ++next_;
                continue;
            }
            return;
        }
    }
}

void Lexer::next(Token& token) {
    token = {};
    skip_blanks(token);
    token.at = here();
    if (next_ == end_ || *next_ == '\n') {
        token.text = between(next_, next_);
        return;
    }
    token.line_start = line_start_;
    line_start_ = false;
    const char c = *next_;
    if (is(c, word_start)) {
        lex_word(token);
    } else if (is(c, digit) || (c == '.' && is(next_[1], digit))) {
        lex_number(token);
    } else if (c == '"' || c == '\'') {
        lex_quoted(token, next_);
    } else {
        lex_punctuator(token);
    }
}

void Lexer::lex_word(Token& token) {
    const char* begin = next_;
    unsigned seen = 0;
    do {
        seen |= static_cast<unsigned char>(*next_);
        ++next_;
    } while (is(*next_, word_part));
    token.kind = TokenKind::identifier;
    token.text = between(begin, next_);
    if (*begin == 'L' && next_ == begin + 1 && (*next_ == '"' || *next_ == '\'')) {
        lex_quoted(token, begin);
    } else if ((seen & 0x80u) != 0) {
        check_utf8(token.text, token.at);
        if (token.text.find(byte_order_mark) != std::string_view::npos) {
            error(token.at, "a byte order mark is within the text"); // Invisible, but part of a name.
        }
    }
}

void Lexer::lex_number(Token& token) {
    const char* begin = next_;
    ++next_;
    for (;;) {
        const char c = *next_;
        if ((c == '+' || c == '-') && std::strchr("eEpP", next_[-1]) != nullptr) {
            ++next_;
        } else if (c == '.' || is(c, word_part)) {
            ++next_;
        } else {
            break;
        }
    }
    token.kind = TokenKind::number;
    token.text = between(begin, next_);
    check_utf8(token.text, token.at);
}

void Lexer::lex_quoted(Token& token, const char* begin) {
    const char quote = *next_;
    token.kind = quote == '"' ? TokenKind::string : TokenKind::character;
    for (++next_; next_ != end_ && *next_ != quote && *next_ != '\n'; ++next_) {
        if (*next_ == '\0') {
            error(token.at, "this string contains a NUL byte");
        }
        if (*next_ == '\\' && next_ + 1 != end_ && next_[1] != '\n') {
            ++next_;
        }
    }
    if (next_ != end_ && *next_ == quote) {
        ++next_;
    } else {
        error(token.at, quote == '"' ? "this string has no closing \" on its line"
                                     : "this character has no closing ' on its line");
        token.mark = stray;
    }
    token.text = between(begin, next_);
    if (token.text == "''" || token.text == "L''") {
        error(token.at, "this character constant is empty");
    }
    check_utf8(token.text, token.at);
}

void Lexer::check_utf8(std::string_view text, Position at) {
    if (quiet_) {
        return;
    }
    const std::size_t bad_byte = first_not_utf8(text);
    if (bad_byte != std::string_view::npos) {
        at.column += in_file_ ? static_cast<std::uint32_t>(bad_byte) : 0;
        error(at, "the byte " + in_hex(text[bad_byte]) + " is not UTF-8");
    }
}

void Lexer::lex_punctuator(Token& token) {
    const char* const begin = next_;
    const char c = *next_++;
    token.kind = TokenKind::punctuator;
    const auto take = [&](char wanted) { return *next_ == wanted ? (++next_, true) : false; };
    std::string_view digraph;
    switch (c) {
    case '<':
        if (take('<')) {
            take('=');
        } else if (take(':')) {
            digraph = "[";
        } else if (take('%')) {
            digraph = "{";
        } else {
            take('=');
        }
        break;
    case '>':
        if (take('>')) {
            take('=');
        } else {
            take('=');
        }
        break;
    case '%':
        if (take(':')) {
            digraph = "#";
            if (*next_ == '%' && next_[1] == ':') {
                next_ += 2;
                digraph = "##";
            }
        } else if (take('>')) {
            digraph = "}";
        } else {
            take('=');
        }
        break;
    case ':':
        if (take('>')) {
            digraph = "]";
        }
        break;
    case '-':
        if (!take('-') && !take('>')) {
            take('=');
        }
        break;
    case '+':
    case '&':
    case '|':
        if (!take(c)) {
            take('=');
        }
        break;
    case '*':
    case '/':
    case '^':
    case '!':
    case '=':
        take('=');
        break;
    case '#':
        take('#');
        break;
    case '.':
        if (*next_ == '.' && next_[1] == '.') {
            next_ += 2;
        }
        break;
    case '(':
    case ')':
    case '[':
    case ']':
    case '{':
    case '}':
    case ',':
    case ';':
    case '?':
    case '~':
        break;
    default:
        token.mark = stray;
        break;
    }
    token.text = digraph.empty() ? between(begin, next_) : digraph;
    if (token.text.front() == '#') {
        token.mark = stray;
    }
}

Token Lexer::header_name() {
    Token token;
    skip_blanks(token);
    token.at = here();
    const char closing = *next_ == '<' ? '>' : *next_ == '"' ? '"' : '\0';
    if (closing == '\0') {
        return token;
    }
    const char* p = next_ + 1;
    while (p != end_ && *p != closing && *p != '\n') {
        ++p;
    }
    if (p != end_ && *p == closing) {
        token.kind = TokenKind::string;
        token.text = between(next_, p + 1);
        next_ = p + 1;
    }
    return token;
}

void Lexer::end_directive() {
    const bool quiet_before = quiet_;
    quiet_ = true;
    while (next().kind != TokenKind::end) {
    }
    quiet_ = quiet_before;
    in_directive_ = false;
    line_start_ = true;
}

} // namespace ferry::translate
