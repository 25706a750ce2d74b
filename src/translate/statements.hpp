// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <unordered_map>
#include <vector>

namespace ferry::translate {

/// A statement of a kernel. What holds no barrier is `simple`, however much of the text it is.
struct Statement {
    enum class Kind { simple, barrier, block, branch, for_loop, while_loop, do_loop };

    Kind kind = Kind::simple;
    Range all;
    Range init;                      ///< for_loop: with its semicolon
    Range condition;                 ///< without its parentheses
    Range step;                      ///< for_loop
    std::vector<Statement> children; ///< block: its statements; branch: then and else; loops: the body
    std::size_t loop = 0;            ///< loops: a number, to find the jumps that belong to it
};

/// A break or continue, and the loop or switch it belongs to.
struct Jump {
    std::size_t token = 0;
    std::size_t loop = 0;
    bool is_continue = false;
};

/// The statements of a block that holds barriers.
struct Statements {
    std::vector<Statement> list;
    std::vector<Jump> jumps;
    std::vector<std::size_t> returns; ///< their tokens
};

/// Reads the statements between two braces. Where a barrier stands in a place that cannot be split there (a
/// switch, an expression, a labelled statement) that is an error.
Statements read_statements(const Syntax& syntax, Range body, Diagnostics& diagnostics);

/// Behind the statement that begins with the range; the range's end if statements are nested very deep.
std::size_t behind_statement(const Syntax& syntax, Range range);

/// What stands between two barriers is a loop of its own: that a goto there leads out of it is an error.
void refuse_far_jumps(const Syntax& syntax, Range region, Diagnostics& diagnostics);

/// What one declaration declares.
struct Declarator {
    Range all;            ///< with its initialiser
    std::size_t name = 0; ///< token
    Range initialiser;    ///< what stands behind the =; empty if there is none
    bool pointer = false;
    bool array = false;
    std::size_t dimensions = 0; ///< of the array that it declares, with those of its typedef
};
struct Declaration {
    Range specifiers;
    std::vector<Declarator> declarators;
    bool is_typedef = false; ///< or declares a type only
};
/// Whether a simple statement is a declaration; fills it in if so.
bool read_declaration(const Syntax& syntax, Range statement, Declaration& declaration);

} // namespace ferry::translate
