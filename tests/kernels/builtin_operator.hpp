// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "builtin.hpp"

namespace kernels {

/// C's operators promote char and short to int; vectors of them do not, and storing the result wraps both
/// alike, unless the operation looks at the upper bits: then the scalar's count or operand is an int's.
inline Type promoted(const Call& c) {
    return c.width == 1 && size_of(c.type) < 4 ? Type::i32 : c.type;
}

/// What a comparison gives: 1 for a scalar, -1 for a vector.
inline Wide truth(const Call& c, bool yes) {
    return !yes ? 0 : c.width == 1 ? 1 : -1;
}

/// An operator on integers by the first character of its symbol; shift counts are taken modulo the type's
/// width.
Wide calculated(char symbol, Type type, Wide a, Wide b);

/// The symbol is < or >, l for <=, g for >=, = for == or else !=.
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
