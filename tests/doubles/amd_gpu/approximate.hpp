// SPDX-License-Identifier: Apache-2.0
// Results of instructions that are not rounded correctly. AMD documents their errors: one unit in the last
// place for float and half, 2^29 units for double. The error here depends on the argument alone. Results that
// are representable have none.
#pragma once

#include "lanes.hpp"

#include <cmath>
#include <limits>

namespace amd_gpu {

// Evenly distributed bits of a number.
inline u64 scattered(u64 bits) {
    bits = (bits ^ bits >> 31) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 29) * 0xbf58476d1ce4e5b9;
    return bits ^ bits >> 32;
}

// Moves the magnitude of a number by some of its last bits, unless it would leave the normal numbers.
template <class T>
T moved(T value, i64 units) {
    using limits = std::numeric_limits<T>;
    const T result = std::bit_cast<T>(bits_of(value) + static_cast<decltype(bits_of(value))>(units));
    const bool usual = std::fabs(value) >= limits::min() && std::fabs(value) <= limits::max() &&
                       std::fabs(result) >= limits::min() && std::fabs(result) <= limits::max();
    return usual ? result : value;
}

inline float flushed(float value) {
    return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

// F takes and returns a double. Denormal arguments and results become 0.
template <auto F>
float approximate32(float argument) {
    const double exact = F(static_cast<double>(flushed(argument)));
    const auto rounded = static_cast<float>(exact);
    if (!std::isfinite(rounded) || static_cast<double>(rounded) == exact) {
        return flushed(rounded);
    }
    // Away from the exact value is one unit in all, whichever side the rounded value is on.
    const bool past = scattered(bits_of(argument)) % 2 != 0;
    const bool rounded_up = std::fabs(static_cast<double>(rounded)) > std::fabs(exact);
    return flushed(moved(rounded, past ? (rounded_up ? -1 : 1) : 0));
}

// Halves: F's result is a double, of which the caller rounds the returned value.
template <auto F>
double approximate16(float argument) {
    const double exact = F(static_cast<double>(argument));
    constexpr double half_unit = 0x1p-12;                             // of a number in [1, 2)
    const bool representable = (bits_of(exact) & 0x3ffffffffff) == 0; // in 10 bits of mantissa
    if (!std::isfinite(exact) || representable || std::fabs(exact) < 0x1p-14) {
        return exact;
    }
    const bool up = scattered(bits_of(argument)) % 2 != 0;
    return exact * (1 + (up ? half_unit : -half_unit));
}

template <auto F>
double approximate64(double argument) {
    const double exact = F(argument);
    constexpr u64 unit = 1ULL << 29;
    if (!std::isfinite(exact) || bits_of(exact) % unit == 0) {
        return exact;
    }
    return moved(exact, static_cast<i64>(scattered(bits_of(argument)) % (2 * unit)) - static_cast<i64>(unit));
}

} // namespace amd_gpu
