// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "token.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

// Finds the beginnings of operands in an unfinished list of tokens, which has no table of brackets. Inserted
// raw text is one token with balanced brackets, except for an opening one ("f (" is two tokens).
namespace ferry::translate {

bool is_one_of(const Token& token, std::initializer_list<std::string_view> words) noexcept;
bool opens_bracket(const Token& token) noexcept;
bool closes_bracket(const Token& token) noexcept;
bool is_assignment(const Token& token) noexcept;
/// A word that is a call with a parenthesis after it, or if, for and similar words, but not return, case,
/// sizeof.
bool is_name(const Token& token) noexcept;
/// An assignment, ++ or --.
bool is_writing(const Token& token) noexcept;
/// The token that opens the bracket closed by tokens[close]; `first` if there is none.
std::size_t opening_of(const std::vector<Token>& tokens, std::size_t close, std::size_t first) noexcept;
/// The first token, not before `first`, of the postfix expression that ends before tokens[end]: a name, a
/// call, an element, a member or an expression in parentheses.
std::size_t postfix_begin(const std::vector<Token>& tokens, std::size_t end, std::size_t first) noexcept;
/// << or >>.
bool is_shift(const Token& token) noexcept;
/// The first token, not before `first`, of the left operand of the shift or the assignment at tokens[op].
std::size_t operand_begin(const std::vector<Token>& tokens, std::size_t op, std::size_t first);
/// The position after the last token of its right operand. `assignment`: of an assignment.
std::size_t operand_end(const std::vector<Token>& tokens, std::size_t op, bool assignment);
/// Inserts raw tokens before tokens[at].
void insert_raw(std::vector<Token>& tokens, std::size_t at, std::initializer_list<std::string_view> texts);

} // namespace ferry::translate
