// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "syntax.hpp"

#include <unordered_map>
#include <vector>

namespace ferry::translate {

/// A statement of a kernel. A statement without a barrier is `simple`, however long it is.
struct Statement {
    enum class Kind { simple, barrier, block, branch, for_loop, while_loop, do_loop };

    Kind kind = Kind::simple;
    Range all;
    Range init;                      ///< for_loop: with its semicolon.
    Range condition;                 ///< Without its parentheses.
    Range step;                      ///< for_loop.
    std::vector<Statement> children; ///< block: its statements; branch: then and else; loops: the body.
    std::size_t loop = 0;            ///< loops: a number, to find the jumps that belong to it.
};

/// A break or continue, and the loop or switch that it belongs to.
struct Jump {
    std::size_t token = 0;
    std::size_t loop = 0;
    bool is_continue = false;
};

/// The statements of a block that contains barriers.
struct Statements {
    std::vector<Statement> list;
    std::vector<Jump> jumps;
    std::vector<std::size_t> returns; ///< Their tokens.
};

/// Reads the statements between two braces. A barrier in a place that cannot be split (a switch, an
/// expression, a labelled statement) is an error.
Statements read_statements(const Syntax& syntax, Range body, Diagnostics& diagnostics);

/// The position after the statement that begins with the range. The range's end if statements are nested too
/// deeply.
std::size_t behind_statement(const Syntax& syntax, Range range);

/// The text between two barriers becomes a separate loop, so a goto that leads out of it is an error.
void refuse_far_jumps(const Syntax& syntax, Range region, Diagnostics& diagnostics);

/// The result of one declarator.
struct Declarator {
    Range all;            ///< With its initialiser.
    std::size_t name = 0; ///< Token.
    Range initialiser;    ///< The value after the =. Empty if there is none.
    bool pointer = false;
    bool array = false;
    std::size_t dimensions = 0; ///< Of the declared array, including those of its typedef.
};
struct Declaration {
    Range specifiers;
    std::vector<Declarator> declarators;
    bool is_typedef = false; ///< Or declares a type only.
};
/// Whether a simple statement is a declaration. Fills `declaration` if so.
bool read_declaration(const Syntax& syntax, Range statement, Declaration& declaration);

} // namespace ferry::translate
