// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

// The device functions of HIP, implemented with the C library. None of its headers is included, because
// hipRTC's text has none either.

#define FERRY_MATH_1(name)                               \
    extern "C" double name(double) noexcept;             \
    extern "C" float name##f(float) noexcept;            \
    inline float name(float a) {                         \
        return name##f(a);                               \
    }                                                    \
    template <class T, class = ferry_double::Integer<T>> \
    inline double name(T a) {                            \
        return name(double(a));                          \
    }
#define FERRY_MATH_2(name)                           \
    extern "C" double name(double, double) noexcept; \
    extern "C" float name##f(float, float) noexcept; \
    inline float name(float a, float b) {            \
        return name##f(a, b);                        \
    }

namespace ferry_double {
template <class T>
struct IsInteger {};
template <>
struct IsInteger<int> {
    using type = int;
};
template <>
struct IsInteger<unsigned> {
    using type = unsigned;
};
template <>
struct IsInteger<long> {
    using type = long;
};
template <>
struct IsInteger<unsigned long> {
    using type = unsigned long;
};
template <>
struct IsInteger<long long> {
    using type = long long;
};
template <>
struct IsInteger<unsigned long long> {
    using type = unsigned long long;
};
template <class T>
using Integer = typename IsInteger<T>::type;
template <class T, class F>
inline T bits(F from) {
    T to;
    static_assert(sizeof(to) == sizeof(from));
    __builtin_memcpy(&to, &from, sizeof to);
    return to;
}
} // namespace ferry_double

// clang-format off
FERRY_MATH_1(sqrt) FERRY_MATH_1(sin) FERRY_MATH_1(cos) FERRY_MATH_1(tan)
FERRY_MATH_1(asin) FERRY_MATH_1(acos) FERRY_MATH_1(atan) FERRY_MATH_1(sinh) FERRY_MATH_1(cosh)
FERRY_MATH_1(tanh) FERRY_MATH_1(exp) FERRY_MATH_1(exp2) FERRY_MATH_1(expm1) FERRY_MATH_1(log)
FERRY_MATH_1(log2) FERRY_MATH_1(log10) FERRY_MATH_1(log1p) FERRY_MATH_1(fabs) FERRY_MATH_1(floor)
FERRY_MATH_1(ceil) FERRY_MATH_1(round) FERRY_MATH_1(trunc) FERRY_MATH_1(rint) FERRY_MATH_1(nearbyint)
FERRY_MATH_1(erf) FERRY_MATH_1(erfc) FERRY_MATH_1(tgamma) FERRY_MATH_1(lgamma)
FERRY_MATH_2(pow) FERRY_MATH_2(atan2) FERRY_MATH_2(fmod) FERRY_MATH_2(fmin) FERRY_MATH_2(fmax)
FERRY_MATH_2(hypot) FERRY_MATH_2(copysign) FERRY_MATH_2(remainder)
extern "C" double fma(double, double, double) noexcept;
// clang-format on
extern "C" float fmaf(float, float, float) noexcept;
inline float fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
extern "C" double ldexp(double, int) noexcept;
extern "C" float ldexpf(float, int) noexcept;
inline float ldexp(float a, int b) {
    return ldexpf(a, b);
}
extern "C" int abs(int) noexcept;
inline long abs(long a) {
    return a < 0 ? -a : a;
}
inline long long abs(long long a) {
    return a < 0 ? -a : a;
}
inline float abs(float a) {
    return fabsf(a);
}
inline double abs(double a) {
    return fabs(a);
}

inline float rsqrtf(float a) {
    return 1.0F / sqrtf(a);
}
inline double rsqrt(double a) {
    return 1.0 / sqrt(a);
}
inline float rsqrt(float a) {
    return rsqrtf(a);
}
inline float exp10f(float a) {
    return powf(10.0F, a);
}
inline void sincosf(float a, float* s, float* c) {
    *s = sinf(a), *c = cosf(a);
}
inline void sincos(double a, double* s, double* c) {
    *s = sin(a), *c = cos(a);
}
inline float saturatef(float a) {
    return fminf(fmaxf(a, 0.0F), 1.0F);
}
inline float __saturatef(float a) {
    return saturatef(a);
}
inline float __sinf(float a) {
    return sinf(a);
}
inline float __cosf(float a) {
    return cosf(a);
}
inline float __expf(float a) {
    return expf(a);
}
inline float __logf(float a) {
    return logf(a);
}
inline float __log2f(float a) {
    return log2f(a);
}
inline float __powf(float a, float b) {
    return powf(a, b);
}
inline float __fdividef(float a, float b) {
    return a / b;
}
inline float __fsqrt_rn(float a) {
    return sqrtf(a);
}
inline float __frcp_rn(float a) {
    return 1.0F / a;
}
inline float __fmaf_rn(float a, float b, float c) {
    return fmaf(a, b, c);
}
inline float __fadd_rn(float a, float b) {
    return a + b;
}
inline float __fmul_rn(float a, float b) {
    return a * b;
}
template <class T>
inline bool isnan(T a) {
    return __builtin_isnan(a);
}
template <class T>
inline bool isinf(T a) {
    return __builtin_isinf(a);
}
template <class T>
inline bool isfinite(T a) {
    return __builtin_isfinite(a);
}

template <class A, class B>
inline auto min(A a, B b) -> decltype(a + b) {
    return a < b ? a : b;
}
template <class A, class B>
inline auto max(A a, B b) -> decltype(a + b) {
    return a < b ? b : a;
}

inline int __mul24(int a, int b) {
    return a * b;
}
inline unsigned __umul24(unsigned a, unsigned b) {
    return a * b;
}
inline int __mulhi(int a, int b) {
    return int((long long)(a)*b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
    return unsigned((unsigned long long)(a)*b >> 32);
}
inline int __clz(int a) {
    return a == 0 ? 32 : __builtin_clz(unsigned(a));
}
inline int __clzll(long long a) {
    return a == 0 ? 64 : __builtin_clzll((unsigned long long)(a));
}
inline int __popc(unsigned a) {
    return __builtin_popcount(a);
}
inline int __popcll(unsigned long long a) {
    return __builtin_popcountll(a);
}
inline int __ffs(int a) {
    return __builtin_ffs(a);
}
inline int __ffsll(long long a) {
    return __builtin_ffsll(a);
}
inline unsigned __brev(unsigned a) {
    unsigned r = 0;
    for (int i = 0; i != 32; ++i, a >>= 1) {
        r = r << 1 | (a & 1U);
    }
    return r;
}
inline int __float_as_int(float a) {
    return ferry_double::bits<int>(a);
}
inline unsigned __float_as_uint(float a) {
    return ferry_double::bits<unsigned>(a);
}
inline float __int_as_float(int a) {
    return ferry_double::bits<float>(a);
}
inline float __uint_as_float(unsigned a) {
    return ferry_double::bits<float>(a);
}
inline long long __double_as_longlong(double a) {
    return ferry_double::bits<long long>(a);
}
inline double __longlong_as_double(long long a) {
    return ferry_double::bits<double>(a);
}
inline int __float2int_rn(float a) {
    return int(rintf(a));
}
inline int __float2int_rz(float a) {
    return int(a);
}
inline float __int2float_rn(int a) {
    return float(a);
}
template <class T>
inline T __ldg(const T* p) {
    return *p;
}

extern "C" int printf(const char*, ...) __attribute__((format(printf, 1, 2)));
extern "C" void* memcpy(void*, const void*, size_t) noexcept;
extern "C" void* memset(void*, int, size_t) noexcept;
#if defined(__x86_64__)
inline long long clock64() {
    return (long long)(__builtin_ia32_rdtsc());
}
#else
extern "C" long clock() noexcept;
inline long long clock64() {
    return clock();
}
#endif
inline long long wall_clock64() {
    return clock64();
}
inline void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {
    __threadfence();
}
inline void __threadfence_system() {
    __threadfence();
}

#define assert(condition) ((condition) ? (void)0 : ferry_double::fail(710))
#define __trap() ferry_double::fail(719)
#define abort() ferry_double::fail(719)
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#ifndef NULL
#define NULL nullptr
#endif
