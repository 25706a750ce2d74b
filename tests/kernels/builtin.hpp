// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scalar.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// What one output component must be: within `ulps` units of `value` or of `other`; for integers, equal.
struct Wanted {
    Value value;
    Value other; ///< a second right answer, if `two`
    bool two = false;
    bool any = false;     ///< the standard leaves it open
    bool sign = false;    ///< the sign of a zero counts
    Wide low_bits = -1;   ///< only these bits of the magnitude count, and the sign unless they are 0
    long double ulps = 0; ///< in units in the last place of the wanted value
    long double absolute = 0;

    void integer(Wide i) { value = kernels::integer(i); }
    void real(long double f, long double limit) {
        value = kernels::real(f);
        ulps = limit;
    }
};

/// One call, seen by a reference: its arguments and where the answer goes. A componentwise reference sees one
/// component of each; a whole one all of them, `width` values in each argument.
struct Call {
    Type type{};
    unsigned width = 1;
    const Value* in[3] = {};
    Wanted* out[2] = {};

    long double f(unsigned argument = 0) const { return in[argument]->f; }
    Wide i(unsigned argument = 0) const { return in[argument]->i; }
};

using Reference = std::function<void(const Call&)>;

/// One row of the table. `expression` is OpenCL C with A, B, C for the arguments and P for a variable whose
/// address it takes; $T is the vector type, $N the width ("" for 1), $S the scalar type. `arguments` and
/// `results` have a letter each, for T the row's type and W the width:
///   g TW   s T, one for the vector   u TW unsigned   i intW   k int, one for the vector   d twice as wide as
///   T n signed and as wide as T l what a comparison gives: int for a scalar, else a signed integer as wide
///   as T   m int, one for the vector
/// or the digits 0 to 9: that member of Type, W wide.
struct Builtin {
    std::string name;
    std::string expression;
    std::string arguments;
    std::string results;
    std::vector<Type> types;
    Reference reference;
    bool whole = false;
    std::vector<unsigned> widths{1, 2, 3, 4, 8, 16};
};

Type letter_type(char letter, Type type, unsigned width);
/// Whether the letter stands for one scalar for the whole vector.
constexpr bool one_for_all(char letter) {
    return letter == 's' || letter == 'k' || letter == 'm';
}

std::vector<Type> integer_types();
std::vector<Type> float_types();

std::vector<Builtin> integer_builtins();
std::vector<Builtin> operator_builtins();
/// The other ways to write them: a scalar on a side, compound, prefix and postfix.
std::vector<Builtin> operator_form_builtins();
/// Operators on operands of two types, what they promote, the sizes of results.
std::vector<Builtin> operator_mixture_builtins();
std::vector<Builtin> math_builtins();
std::vector<Builtin> common_builtins();
std::vector<Builtin> relational_builtins();
std::vector<Builtin> geometric_builtins();
/// Conversions from `from` to every type, and as_type.
std::vector<Builtin> conversion_builtins(Type from);

} // namespace kernels
