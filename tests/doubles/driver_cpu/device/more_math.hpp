// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "atomics.hpp"
#include "math.hpp"

// Device functions of HIP that are rare in hand-written code. Ferry's translator of OpenCL C uses them.

// clang-format off
FERRY_MATH_1(acosh) FERRY_MATH_1(asinh) FERRY_MATH_1(atanh) FERRY_MATH_1(logb)
FERRY_MATH_2(fdim) FERRY_MATH_2(nextafter)
    // clang-format on
    extern "C" {
    float frexpf(float, int*) noexcept;
    double frexp(double, int*) noexcept;
    float modff(float, float*) noexcept;
    double modf(double, double*) noexcept;
    float remquof(float, float, int*) noexcept;
    double remquo(double, double, int*) noexcept;
    float cbrtf(float) noexcept;
    long double cbrtl(long double) noexcept;
    int ilogbf(float) noexcept;
    int ilogb(double) noexcept;
}
inline double cbrt(double a) { // the C library's function has a larger error than a device may have
    return double(cbrtl(a));
}
inline double exp10(double a) {
    return pow(10.0, a);
}
namespace ferry_double {
/// sin(pi * (a + quarters / 2)). The reduction before the multiplication by pi is exact.
inline double sine_of_pi(double a, int quarters) {
    if (a - a != 0) {
        return a - a; // the sine of infinity or NaN is NaN
    }
    if (__builtin_fabs(a) >= 0x1p53) { // even
        return quarters == 0 ? __builtin_copysign(0.0, a) : 1.0;
    }
    constexpr double pi = 3.14159265358979323846264338327950288;
    const double nearest = __builtin_rint(2 * a);
    const double rest = pi * (a - nearest / 2);
    switch ((int(nearest - 4 * __builtin_floor(nearest / 4)) + quarters) % 4) {
    case 0:
        return rest == 0 && quarters == 0 ? __builtin_copysign(0.0, a) : __builtin_sin(rest);
    case 1:
        return __builtin_cos(rest);
    case 2:
        return rest == 0 ? quarters == 0 ? __builtin_copysign(0.0, a) : 0.0 : -__builtin_sin(rest);
    default:
        return -__builtin_cos(rest);
    }
}
} // namespace ferry_double
inline float sinpif(float a) {
    return float(ferry_double::sine_of_pi(double(a), 0));
}
inline float cospif(float a) {
    return float(ferry_double::sine_of_pi(double(a), 1));
}
inline double sinpi(double a) {
    return ferry_double::sine_of_pi(a, 0);
}
inline double cospi(double a) {
    return ferry_double::sine_of_pi(a, 1);
}
inline float __exp10f(float a) {
    return exp10f(a);
}
inline float __log10f(float a) {
    return log10f(a);
}
inline float __tanf(float a) {
    return tanf(a);
}
__extension__ typedef __int128 ferry_int128;
inline long long __mul64hi(long long a, long long b) {
    return (long long)(ferry_int128(a) * b >> 64);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)(a)*b >> 64);
}

#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5

#define FERRY_HIP_ATOMIC(name, function)                              \
    template <class T>                                                \
    inline T name(volatile T* p, ferry_double::same<T> v, int, int) { \
        return function(const_cast<T*>(p), v);                        \
    }
FERRY_HIP_ATOMIC(__hip_atomic_fetch_add, atomicAdd)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_min, atomicMin)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_max, atomicMax)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_and, atomicAnd)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_or, atomicOr)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_xor, atomicXor)
FERRY_HIP_ATOMIC(__hip_atomic_exchange, atomicExch)

template <class T>
inline bool __hip_atomic_compare_exchange_strong(volatile T* p, T* expected, ferry_double::same<T> desired,
                                                 int, int, int) {
    return __atomic_compare_exchange(const_cast<T*>(p), expected, &desired, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}
