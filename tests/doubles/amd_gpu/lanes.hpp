// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace amd_gpu {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

constexpr unsigned lane_count = 64;

// The word in registers, LDS, scratch and memory that nothing has written: a NaN, no address and no small
// number.
constexpr u32 poison = 0x7fbadbad;

// One value for each lane of a wave. Loops over all lanes become vector instructions of the host.
template <class T>
struct alignas(64) Lanes {
    T at[lane_count];
    T& operator[](unsigned lane) { return at[lane]; }
    const T& operator[](unsigned lane) const { return at[lane]; }
};
using Lanes32 = Lanes<u32>;
using Lanes64 = Lanes<u64>;

struct LaneBits {
    u32 bit[lane_count];
};
inline constexpr LaneBits lane_bits = [] {
    LaneBits bits{};
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        bits.bit[lane] = 1U << (lane % 32);
    }
    return bits;
}();

// All bits set in the lanes of MASK.
inline void expand(u64 mask, Lanes32& out) {
    const u32 halves[2] = {static_cast<u32>(mask), static_cast<u32>(mask >> 32)};
    for (unsigned half = 0; half < 2; ++half) {
        for (unsigned lane = 0; lane < 32; ++lane) {
            out.at[half * 32 + lane] = (halves[half] & lane_bits.bit[lane]) != 0 ? ~0U : 0U;
        }
    }
}

// The mask of the lanes that are not 0.
inline u64 compress(const Lanes32& lanes) {
    u32 halves[2] = {0, 0};
    for (unsigned half = 0; half < 2; ++half) {
        u32 mask = 0;
        for (unsigned lane = 0; lane < 32; ++lane) {
            mask |= lanes.at[half * 32 + lane] != 0 ? lane_bits.bit[lane] : 0U;
        }
        halves[half] = mask;
    }
    return halves[0] | static_cast<u64>(halves[1]) << 32;
}

// visit(lane) for each lane of MASK, in order.
template <class Visit>
void for_each_lane(u64 mask, Visit visit) {
    for (; mask != 0; mask &= mask - 1) {
        visit(static_cast<unsigned>(std::countr_zero(mask)));
    }
}

inline float as_float(u32 bits) {
    return std::bit_cast<float>(bits);
}
inline double as_double(u64 bits) {
    return std::bit_cast<double>(bits);
}
inline u32 bits_of(float value) {
    return std::bit_cast<u32>(value);
}
inline u64 bits_of(double value) {
    return std::bit_cast<u64>(value);
}
inline u64 join(u32 low, u32 high) {
    return low | static_cast<u64>(high) << 32;
}
inline u32 low_half(u64 value) {
    return static_cast<u32>(value);
}
inline u32 high_half(u64 value) {
    return static_cast<u32>(value >> 32);
}

} // namespace amd_gpu
