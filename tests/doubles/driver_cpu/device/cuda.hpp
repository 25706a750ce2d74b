// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

// Features of CUDA's device code that HIP lacks.

#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
#define __grid_constant__

inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int by) {
    by &= 31U;
    return by == 0 ? high : high << by | low >> (32 - by);
}

/// Recognises only dynamic shared memory, because static shared memory is a variable of the thread here.
inline int __isShared(const void* p) {
    const char* const first = static_cast<const char*>(ferry_double::block_state->launch->shared);
    const char* const at = static_cast<const char*>(p);
    return at >= first && at < first + 64 * 1024;
}

#ifdef FERRY_DOUBLE_FIBERS
template <class T>
inline T __shfl_sync(unsigned int, T v, int source, int width = warpSize) {
    return __shfl(v, source, width);
}
template <class T>
inline T __shfl_up_sync(unsigned int, T v, unsigned int delta, int width = warpSize) {
    return __shfl_up(v, delta, width);
}
template <class T>
inline T __shfl_down_sync(unsigned int, T v, unsigned int delta, int width = warpSize) {
    return __shfl_down(v, delta, width);
}
template <class T>
inline T __shfl_xor_sync(unsigned int, T v, int mask, int width = warpSize) {
    return __shfl_xor(v, mask, width);
}
inline unsigned int __ballot_sync(unsigned int, int predicate) {
    return static_cast<unsigned int>(__ballot(predicate));
}
inline int __any_sync(unsigned int, int predicate) {
    return __any(predicate);
}
inline int __all_sync(unsigned int, int predicate) {
    return __all(predicate);
}
#endif

namespace ferry_double {

// Instructions of PTX in asm(). rewrite() replaces them by calls of these functions.
inline void ptx_cvt_f32_f16(float& to, unsigned short from) {
    const unsigned int sign = (from & 0x8000U) << 16;
    const unsigned int exponent = from >> 10 & 31U;
    const unsigned int fraction = from & 0x3FFU;
    if (exponent == 0) {
        const float value = float(fraction) * 0x1p-24F;
        to = sign != 0 ? -value : value;
        return;
    }
    to = bits<float>(sign | (exponent == 31 ? 0x7F800000U : (exponent + 112) << 23) | fraction << 13);
}
inline unsigned short to_half(float from, bool nearest) {
    const unsigned int all = bits<unsigned int>(from);
    const unsigned int sign = all >> 16 & 0x8000U;
    const unsigned int size = all & 0x7FFFFFFFU;
    if (size >= 0x47800000U) { // 65536
        const unsigned int largest = nearest || size == 0x7F800000U ? 0x7C00U : 0x7BFFU;
        return static_cast<unsigned short>(sign | (size > 0x7F800000U ? 0x7FFFU : largest));
    }
    const bool normal = size >= 0x38800000U; // 2^-14
    const unsigned int shift = normal ? 13 : 126 - (size >> 23);
    if (shift > 25) {
        return static_cast<unsigned short>(sign);
    }
    const unsigned int value = normal ? size - 0x38000000U : (size & 0x7FFFFFU) | 0x800000U;
    unsigned int result = value >> shift;
    const unsigned int rest = value & ((1U << shift) - 1);
    const unsigned int middle = 1U << (shift - 1);
    if (nearest && (rest > middle || (rest == middle && (result & 1U) != 0))) {
        ++result;
    }
    return static_cast<unsigned short>(sign | result);
}
inline void ptx_cvt_rn_f16_f32(unsigned short& to, float from) {
    to = to_half(from, true);
}
inline void ptx_cvt_rz_f16_f32(unsigned short& to, float from) {
    to = to_half(from, false);
}
inline void ptx_add_f16(unsigned short& to, unsigned short a, unsigned short b) {
    float left = 0;
    float right = 0;
    ptx_cvt_f32_f16(left, a);
    ptx_cvt_f32_f16(right, b);
    to = to_half(left + right, true);
}

} // namespace ferry_double
