// SPDX-License-Identifier: Apache-2.0
#include "cuda_prelude.hpp"

namespace ferry_double {

const char* const cuda_prelude = R"(
#define __shfl(v, ...) __shfl_sync(0xffffffffu, v, __VA_ARGS__)
#define __shfl_up(v, ...) __shfl_up_sync(0xffffffffu, v, __VA_ARGS__)
#define __shfl_down(v, ...) __shfl_down_sync(0xffffffffu, v, __VA_ARGS__)
#define __shfl_xor(v, ...) __shfl_xor_sync(0xffffffffu, v, __VA_ARGS__)
#define __ballot(p) ((unsigned long long)__ballot_sync(__activemask(), p))
#define __any(p) __any_sync(__activemask(), p)
#define __all(p) __all_sync(__activemask(), p)

// EDG's own form of offsetof: NVRTC has no other that is a constant.
#define __builtin_offsetof(type, member) __INTADDR__(&(((type*)0)->member))
#define __builtin_clz(x) __clz((int)(x))
#define __builtin_clzl(x) __clzll((long long)(x))
#define __builtin_popcount(x) __popc((unsigned)(x))
#define __builtin_popcountl(x) __popcll((unsigned long long)(x))
struct FerryHalf {
    unsigned short bits;
    __device__ explicit FerryHalf(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    __device__ explicit FerryHalf(double x) { asm("cvt.rn.f16.f64 %0, %1;" : "=h"(bits) : "d"(x)); }
    __device__ explicit operator float() const {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
};
#define _Float16 FerryHalf
#define __ATOMIC_RELAXED 0
#define __HIP_MEMORY_SCOPE_AGENT 4
template <unsigned N> struct FerryWord;
template <> struct FerryWord<4> { using type = unsigned; };
template <> struct FerryWord<8> { using type = unsigned long long; };
template <class T> static __device__ inline bool __hip_atomic_compare_exchange_strong(
    volatile T* p, T* expected, T value, int, int, int) {
    using W = typename FerryWord<sizeof(T)>::type;
    W was;
    W wanted;
    memcpy(&was, expected, sizeof was);
    memcpy(&wanted, &value, sizeof wanted);
    const W seen = atomicCAS((W*)p, was, wanted);
    memcpy(expected, &seen, sizeof seen);
    return seen == was;
}
#define FERRY_HIP_ATOMIC(name, result)                                                  \
    template <class T> static __device__ inline T name(volatile T* p, T v, int, int) {  \
        T old = *p;                                                                     \
        while (!__hip_atomic_compare_exchange_strong(p, &old, T(result), 0, 0, 0)) {    \
        }                                                                               \
        return old;                                                                     \
    }
FERRY_HIP_ATOMIC(__hip_atomic_fetch_add, old + v)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_min, old < v ? old : v)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_max, old > v ? old : v)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_and, old & v)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_or, old | v)
FERRY_HIP_ATOMIC(__hip_atomic_fetch_xor, old ^ v)
FERRY_HIP_ATOMIC(__hip_atomic_exchange, v)

#define FERRY_OPERATOR(V, S, op, each)                                       \
    static __device__ inline V operator op(V a, V b) { each(op) }            \
    static __device__ inline V operator op(V a, S s) { V b = FERRY_ALL_##V(s); each(op) } \
    static __device__ inline V operator op(S s, V b) { V a = FERRY_ALL_##V(s); each(op) } \
    static __device__ inline V& operator op##=(V& a, V b) { return a = a op b; } \
    static __device__ inline V& operator op##=(V& a, S b) { return a = a op b; }
#define FERRY_OPERATORS(V, S, each) \
    FERRY_OPERATOR(V, S, +, each) FERRY_OPERATOR(V, S, -, each) FERRY_OPERATOR(V, S, *, each) FERRY_OPERATOR(V, S, /, each)
#define FERRY_EACH_2(op) return {a.x op b.x, a.y op b.y};
#define FERRY_EACH_3(op) return {a.x op b.x, a.y op b.y, a.z op b.z};
#define FERRY_EACH_4(op) return {a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w};
#define FERRY_ALL_float2(s) {s, s}
#define FERRY_ALL_float3(s) {s, s, s}
#define FERRY_ALL_float4(s) {s, s, s, s}
#define FERRY_ALL_double2(s) {s, s}
#define FERRY_ALL_int2(s) {s, s}
#define FERRY_ALL_int3(s) {s, s, s}
#define FERRY_ALL_int4(s) {s, s, s, s}
#define FERRY_ALL_uint2(s) {s, s}
#define FERRY_ALL_uint4(s) {s, s, s, s}
FERRY_OPERATORS(float2, float, FERRY_EACH_2)
FERRY_OPERATORS(float3, float, FERRY_EACH_3)
FERRY_OPERATORS(float4, float, FERRY_EACH_4)
FERRY_OPERATORS(double2, double, FERRY_EACH_2)
FERRY_OPERATORS(int2, int, FERRY_EACH_2)
FERRY_OPERATORS(int3, int, FERRY_EACH_3)
FERRY_OPERATORS(int4, int, FERRY_EACH_4)
FERRY_OPERATORS(uint2, unsigned, FERRY_EACH_2)
FERRY_OPERATORS(uint4, unsigned, FERRY_EACH_4)
#undef FERRY_OPERATOR
#undef FERRY_OPERATORS
)";

} // namespace ferry_double
