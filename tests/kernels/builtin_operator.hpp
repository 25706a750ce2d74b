// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

namespace kernels {

/// C's operators promote char and short to int, but not in vectors. A stored result is the same, because
/// storing wraps it. Operations that read the upper bits differ: there the operand or count of a scalar is an
/// int.
inline Type promoted(const Call& c) {
    return c.width == 1 && size_of(c.type) < 4 ? Type::i32 : c.type;
}

/// The result of a comparison: 1 for a scalar, -1 for a vector.
inline Wide truth(const Call& c, bool yes) {
    return !yes ? 0 : c.width == 1 ? 1 : -1;
}

/// An operator on integers, named by the first character of its symbol. Shift counts are taken modulo the
/// type's width.
Wide calculated(char symbol, Type type, Wide a, Wide b);

/// The symbol is <, >, l for <=, g for >=, = for ==, or any other character for !=.
template <class T>
bool compared(char symbol, T a, T b) {
    switch (symbol) {
    case '<':
        return a < b;
    case '>':
        return a > b;
    case 'l':
        return a <= b;
    case 'g':
        return a >= b;
    case '=':
        return a == b;
    default:
        return a != b;
    }
}

} // namespace kernels
