// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

// HIP's vector types, as far as kernels of tests and samples use them: components, make_ functions,
// arithmetic by component.

using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;

#define FERRY_VECTOR_OPERATORS(V, S) \
    FERRY_VECTOR_OPERATOR(V, S, +)   \
    FERRY_VECTOR_OPERATOR(V, S, -)   \
    FERRY_VECTOR_OPERATOR(V, S, *)   \
    FERRY_VECTOR_OPERATOR(V, S, /)   \
    inline V operator-(V a) {        \
        return V{} - a;              \
    }

#define FERRY_VECTOR_OPERATOR(V, S, op)                                                   \
    inline V operator op(V a, V b) {                                                      \
        return ferry_double::each(a, b, [](S p, S q) { return static_cast<S>(p op q); }); \
    }                                                                                     \
    inline V operator op(V a, S b) {                                                      \
        return a op ferry_double::all(V{}, b);                                            \
    }                                                                                     \
    inline V operator op(S a, V b) {                                                      \
        return ferry_double::all(V{}, a) op b;                                            \
    }                                                                                     \
    inline V& operator op##=(V& a, V b) {                                                 \
        return a = a op b;                                                                \
    }                                                                                     \
    inline V& operator op##=(V& a, S b) {                                                 \
        return a = a op b;                                                                \
    }

#define FERRY_VECTORS(N, S)                               \
    struct N##1 {                                         \
        S x;                                              \
    };                                                    \
    struct __attribute__((aligned(2 * sizeof(S)))) N##2 { \
        S x, y;                                           \
    };                                                    \
    struct N##3 {                                         \
        S x, y, z;                                        \
    };                                                    \
    struct __attribute__((aligned(4 * sizeof(S)))) N##4 { \
        S x, y, z, w;                                     \
    };                                                    \
    FERRY_VECTOR_REST(N, S)

#define FERRY_VECTOR_REST(N, S)                                      \
    inline N##1 make_##N##1(S x) {                                   \
        return {x};                                                  \
    }                                                                \
    inline N##2 make_##N##2(S x, S y) {                              \
        return {x, y};                                               \
    }                                                                \
    inline N##3 make_##N##3(S x, S y, S z) {                         \
        return {x, y, z};                                            \
    }                                                                \
    inline N##4 make_##N##4(S x, S y, S z, S w) {                    \
        return {x, y, z, w};                                         \
    }                                                                \
    namespace ferry_double {                                         \
    template <class F>                                               \
    inline N##2 each(N##2 a, N##2 b, F f) {                          \
        return {f(a.x, b.x), f(a.y, b.y)};                           \
    }                                                                \
    template <class F>                                               \
    inline N##3 each(N##3 a, N##3 b, F f) {                          \
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};              \
    }                                                                \
    template <class F>                                               \
    inline N##4 each(N##4 a, N##4 b, F f) {                          \
        return {f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)}; \
    }                                                                \
    inline N##2 all(N##2, S s) {                                     \
        return {s, s};                                               \
    }                                                                \
    inline N##3 all(N##3, S s) {                                     \
        return {s, s, s};                                            \
    }                                                                \
    inline N##4 all(N##4, S s) {                                     \
        return {s, s, s, s};                                         \
    }                                                                \
    }                                                                \
    FERRY_VECTOR_OPERATORS(N##2, S)                                  \
    FERRY_VECTOR_OPERATORS(N##3, S)                                  \
    FERRY_VECTOR_OPERATORS(N##4, S)

FERRY_VECTORS(char, signed char)
FERRY_VECTORS(uchar, unsigned char)
FERRY_VECTORS(short, short)
FERRY_VECTORS(ushort, unsigned short)
FERRY_VECTORS(int, int)
FERRY_VECTORS(long, long)
FERRY_VECTORS(ulong, unsigned long)
FERRY_VECTORS(longlong, long long)
FERRY_VECTORS(ulonglong, unsigned long long)
FERRY_VECTORS(float, float)
FERRY_VECTORS(double, double)

// uint3 is in run.hpp, because thread indices use it.
struct uint1 {
    unsigned int x;
};
struct __attribute__((aligned(8))) uint2 {
    unsigned int x, y;
};
struct __attribute__((aligned(16))) uint4 {
    unsigned int x, y, z, w;
};
FERRY_VECTOR_REST(uint, unsigned int)
