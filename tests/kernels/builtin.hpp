// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scalar.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// The expected value of one output component. It must be within `ulps` units of `value` or of `other`;
/// integers must be equal.
struct Wanted {
    Value value;
    Value other; ///< a second correct result, if `two`
    bool two = false;
    bool any = false;     ///< the standard does not define the result
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

/// One call of a reference: its arguments and its results. A componentwise reference gets one component of
/// each argument. A whole one gets all of them, `width` values in each argument.
struct Call {
    Type type{};
    unsigned width = 1;
    const Value* in[3] = {};
    Wanted* out[2] = {};

    long double f(unsigned argument = 0) const { return in[argument]->f; }
    Wide i(unsigned argument = 0) const { return in[argument]->i; }
};

using Reference = std::function<void(const Call&)>;

/// One row of the table. `expression` is OpenCL C. A, B and C are the arguments, and P is a variable for
/// expressions that take an address. $T is the vector type, $N the width ("" for 1), and $S the scalar type.
/// `arguments` and `results` have one letter for each. With the row's type T and the width W, the letters
/// are:
///     g   T, W wide                           s   T, one for the vector
///     u   unsigned T, W wide                  n   signed and as wide as T, W wide
///     i   int, W wide                         k   int, one for the vector
///     d   twice as wide as T, W wide          m   int, one for the vector
///     l   the result of a comparison: int for a scalar, otherwise a signed integer as wide as T
///     0 to 9   that member of Type, W wide
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
/// Whether the letter means one scalar for the whole vector.
constexpr bool one_for_all(char letter) {
    return letter == 's' || letter == 'k' || letter == 'm';
}

std::vector<Type> integer_types();
std::vector<Type> float_types();

std::vector<Builtin> integer_builtins();
std::vector<Builtin> operator_builtins();
/// Other ways to write operators: a scalar on one side, compound, prefix and postfix.
std::vector<Builtin> operator_form_builtins();
/// Operators on operands of two types, their promotions, and the sizes of the results.
std::vector<Builtin> operator_mixture_builtins();
std::vector<Builtin> math_builtins();
std::vector<Builtin> common_builtins();
std::vector<Builtin> relational_builtins();
std::vector<Builtin> geometric_builtins();
/// Conversions from `from` to every type, and as_type.
std::vector<Builtin> conversion_builtins(Type from);

} // namespace kernels
