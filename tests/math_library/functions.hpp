// SPDX-License-Identifier: Apache-2.0
// The table of the functions in the namespace `library`. Included once by each source that compiles them.
#include "library.hpp"

namespace {

using kernels::real;
using kernels::Type;
using kernels::Value;

template <class T>
Value value_of(T x) {
    return real(static_cast<long double>(x));
}
inline Value integer_of(int i) {
    return kernels::integer(i);
}

#define F(index) static_cast<float>(in[index].f)
#define D(index) static_cast<double>(in[index].f)
#define I(index) static_cast<int>(in[index].i)
// With one result, two results, and a result and an integer.
#define ROW(name, floats, doubles)                                                                        \
    {                                                                                                     \
#name, [](Type type, const Value* in, Value* out) {                                                     \
         out[0] = type == Type::f32 ? value_of(static_cast<Float>(library::fy_##name floats))                \
                                    : value_of(static_cast<Double>(library::fy_##name##_d doubles));         \
     } \
    }
#define ONE(name) ROW(name, (F(0)), (D(0)))
#define TWO(name) ROW(name, (F(0), F(1)), (D(0), D(1)))
#define NUMBER_AND_INT(name) ROW(name, (F(0), I(1)), (D(0), I(1)))
#define STRUCT(name, floats, doubles, make)                                                               \
    {                                                                                                     \
#name, [](Type type, const Value* in, Value* out) {                                                     \
         if (type == Type::f32) {                                                                            \
             const auto result = library::fy_##name floats;                                                  \
             out[0] = value_of(static_cast<Float>(result.first));                                            \
             out[1] = make(result.second);                                                                   \
         } else {                                                                                            \
             const auto result = library::fy_##name##_d doubles;                                             \
             out[0] = value_of(static_cast<Double>(result.first));                                           \
             out[1] = make(result.second);                                                                   \
         }                                                                                                   \
     } \
    }

constexpr math_library::Function functions[] = {
    ONE(acos),
    ONE(acosh),
    ONE(acospi),
    ONE(asin),
    ONE(asinh),
    ONE(asinpi),
    ONE(atan),
    ONE(atanh),
    ONE(atanpi),
    ONE(cbrt),
    ONE(cos),
    ONE(cosh),
    ONE(cospi),
    ONE(erf),
    ONE(erfc),
    ONE(exp),
    ONE(exp2),
    ONE(exp10),
    ONE(expm1),
    ONE(lgamma),
    ONE(log),
    ONE(log1p),
    ONE(log2),
    ONE(log10),
    ONE(logb),
    ONE(round),
    ONE(rsqrt),
    ONE(sin),
    ONE(sinh),
    ONE(sinpi),
    ONE(sqrt),
    ONE(tan),
    ONE(tanh),
    ONE(tanpi),
    ONE(tgamma),
    ONE(trunc),
    TWO(atan2),
    TWO(atan2pi),
    TWO(copysign),
    TWO(divide),
    TWO(fdim),
    TWO(fmod),
    TWO(hypot),
    TWO(maxmag),
    TWO(minmag),
    TWO(nextafter),
    TWO(pow),
    TWO(powr),
    TWO(remainder),
    NUMBER_AND_INT(ldexp),
    NUMBER_AND_INT(pown),
    NUMBER_AND_INT(rootn),
    ROW(fma, (F(0), F(1), F(2)), (D(0), D(1), D(2))),
    ROW(nan, (static_cast<std::uint32_t>(in[0].i)), (static_cast<std::uint64_t>(in[0].i))),
    STRUCT(fract, (F(0)), (D(0)), value_of),
    STRUCT(modf, (F(0)), (D(0)), value_of),
    STRUCT(sincos, (F(0)), (D(0)), value_of),
    STRUCT(frexp, (F(0)), (D(0)), integer_of),
    STRUCT(lgamma_r, (F(0)), (D(0)), integer_of),
    STRUCT(remquo, (F(0), F(1)), (D(0), D(1)), integer_of),
    {"ilogb",
     [](Type type, const Value* in, Value* out) {
         out[0] = integer_of(type == Type::f32 ? library::fy_ilogb(F(0)) : library::fy_ilogb_d(D(0)));
     }},
};

#undef F
#undef D
#undef I

} // namespace
