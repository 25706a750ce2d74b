// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <cmath>

namespace amd_gpu {

// Exact.
inline float from_half(u32 bits) {
    const u32 exponent = bits >> 10 & 31;
    const u32 mantissa = bits & 1023;
    const u32 sign = (bits & 0x8000) << 16;
    if (exponent == 31) {
        return as_float(sign | 0x7f800000 | mantissa << 13);
    }
    if (exponent == 0) {
        const float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    return as_float(sign | (exponent + 112) << 23 | mantissa << 13);
}

// Rounds to nearest, ties to even, once: VALUE is a double so that sums and products of halves arrive exact.
inline u32 to_half(double value) {
    const u32 sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) {
        return sign | 0x7e00 | (static_cast<u32>(bits_of(value) >> 42) & 0x1ff);
    }
    if (magnitude >= 65520) {
        return sign | 0x7c00;
    }
    if (magnitude < 0x1p-14) {
        return sign | static_cast<u32>(std::nearbyint(magnitude * 0x1p24));
    }
    const int exponent = static_cast<int>(bits_of(magnitude) >> 52) - 1023;
    const auto mantissa = static_cast<u32>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return sign | (static_cast<u32>(exponent + 14) * 1024 + mantissa);
}

// Rounds toward zero.
inline u32 to_half_toward_zero(float value) {
    const u32 nearest = to_half(value);
    if (std::isnan(value) || std::isinf(value)) {
        return nearest;
    }
    return std::fabs(from_half(nearest)) > std::fabs(value) ? nearest - 1 : nearest;
}

} // namespace amd_gpu
