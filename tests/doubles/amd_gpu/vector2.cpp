// SPDX-License-Identifier: Apache-2.0
// Vector instructions of two sources: VOP2.
#include "vector_maps.hpp"

#include <cmath>

namespace amd_gpu {
namespace {

// The mask that an instruction reads as its third operand: VCC, or in the long encoding any pair.
u64 mask_operand(const Wave& wave, const Instruction& in) {
    return in.vop3 ? scalar64(wave, in, in.source[2]) : wave.vcc();
}

void select(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& otherwise = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& value = source32(wave, in, 1, As::f32, space[1]);
    Lanes32 chosen;
    expand(mask_operand(wave, in), chosen);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = (value.at[lane] & chosen.at[lane]) | (otherwise.at[lane] & ~chosen.at[lane]);
    }
    store32(wave, in, result);
}

enum class Carry : u8 { none, in };

// SWAP: the second source is the one that is subtracted from.
template <bool subtract, bool swap, Carry carry>
void add_with_carry(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& first = source32(wave, in, swap ? 1 : 0, As::integer, space[0]);
    const Lanes32& second = source32(wave, in, swap ? 0 : 1, As::integer, space[1]);
    Lanes32 carry_in{};
    if (carry == Carry::in) {
        expand(mask_operand(wave, in), carry_in);
    }
    Lanes32 result;
    Lanes32 carry_out;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u32 a = first.at[lane];
        const u32 b = second.at[lane];
        const u32 c = carry_in.at[lane] & 1;
        const u32 sum = subtract ? a - b - c : a + b + c;
        result.at[lane] = sum;
        carry_out.at[lane] = subtract ? (a < b || (c != 0 && a == b)) : (sum < a || (c != 0 && sum == a));
    }
    const u64 out = compress(carry_out);
    store32(wave, in, result);
    store_mask(wave, in.vop3 || in.sdwa ? in.scalar_destination : u16{reg_vcc}, out);
}

// a * b + the destination. FUSED: rounded once.
template <bool fused>
void multiply_accumulate(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::f32, space[1]);
    const Lanes32& c = wave.vector[in.destination];
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const float x = as_float(a.at[lane]);
        const float y = as_float(b.at[lane]);
        const float z = as_float(c.at[lane]);
        result.at[lane] = bits_of(fused ? std::fma(x, y, z) : x * y + z);
    }
    modify_floats(in, result);
    store32(wave, in, result);
}

void multiply_accumulate64(Wave& wave, const Instruction& in) {
    Lanes64 a;
    Lanes64 b;
    source64(wave, in, 0, true, a);
    source64(wave, in, 1, true, b);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u64 c = join(wave.vector[in.destination].at[lane], wave.vector[in.destination + 1U].at[lane]);
        result.at[lane] = bits_of(std::fma(as_double(a.at[lane]), as_double(b.at[lane]), as_double(c)));
    }
    modify_doubles(in, result);
    store64(wave, in, result);
}

// With the literal: a * K + b, or a * b + K.
template <bool multiplies>
void with_constant(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::f32, space[1]);
    const float constant = as_float(in.literal);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const float x = as_float(a.at[lane]);
        const float y = as_float(b.at[lane]);
        result.at[lane] = bits_of(multiplies ? x * constant + y : x * y + constant);
    }
    store32(wave, in, result);
}

void scale_half(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::f16, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::b16, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const double value = from_half(a[lane]);
        result[lane] = to_half(output(in, std::ldexp(value, static_cast<i16>(b[lane]))));
    }
    store16(wave, in, result, false);
}

// Two handlers for instructions that saturate with the clamp bit.
template <Handler plain, Handler saturating>
void clamped(Wave& wave, const Instruction& in) {
    (in.clamp ? saturating : plain)(wave, in);
}

i32 low24(u32 value) {
    return static_cast<i32>(value << 8) >> 8;
}

constexpr u32 mask24 = 0xffffff;
constexpr auto add32 = [](u32 a, u32 b) { return a + b; };
constexpr auto add32_saturating = [](u32 a, u32 b) { return a + b < a ? ~0U : a + b; };
constexpr auto subtract32 = [](u32 a, u32 b) { return a - b; };
constexpr auto subtract32_saturating = [](u32 a, u32 b) { return a < b ? 0 : a - b; };
constexpr auto subtract32_reversed = [](u32 a, u32 b) { return b - a; };
constexpr auto subtract32_reversed_saturating = [](u32 a, u32 b) { return b < a ? 0 : b - a; };
constexpr auto add16 = [](u16 a, u16 b) { return a + b; };
constexpr auto add16_saturating = [](u16 a, u16 b) { return least(a + b, 65535); };
constexpr auto subtract16 = [](u16 a, u16 b) { return a - b; };
constexpr auto subtract16_saturating = [](u16 a, u16 b) { return greatest(a - b, 0); };

const Opcode vop2[] = {
    {0, "v_cndmask_b32", select},
    {1, "v_add_f32", f32_2<[](float a, float b) { return a + b; }>},
    {2, "v_sub_f32", f32_2<[](float a, float b) { return a - b; }>},
    {3, "v_subrev_f32", f32_2<[](float a, float b) { return b - a; }>},
    {4, "v_fmac_f64", multiply_accumulate64},
    {5, "v_mul_f32", f32_2<[](float a, float b) { return a * b; }>},
    {6, "v_mul_i32_i24", u32_2<([](u32 a, u32 b) { return static_cast<u32>(i64{low24(a)} * low24(b)); })>},
    {7, "v_mul_hi_i32_i24", u32_2<([](u32 a, u32 b) { return i64{low24(a)} * low24(b) >> 32; })>},
    {8, "v_mul_u32_u24", u32_2<[](u32 a, u32 b) { return (a & mask24) * (b & mask24); }>},
    {9, "v_mul_hi_u32_u24",
     u32_2<([](u32 a, u32 b) { return static_cast<u64>(a & mask24) * (b & mask24) >> 32; })>},
    {10, "v_min_f32", f32_2<minimum<float>>},
    {11, "v_max_f32", f32_2<maximum<float>>},
    {12, "v_min_i32", u32_2<([](u32 a, u32 b) { return least(static_cast<i32>(a), static_cast<i32>(b)); })>},
    {13, "v_max_i32",
     u32_2<([](u32 a, u32 b) { return greatest(static_cast<i32>(a), static_cast<i32>(b)); })>},
    {14, "v_min_u32", u32_2<least<u32>>},
    {15, "v_max_u32", u32_2<greatest<u32>>},
    {16, "v_lshrrev_b32", u32_2<([](u32 a, u32 b) { return b >> (a & 31); })>},
    {17, "v_ashrrev_i32", u32_2<([](u32 a, u32 b) { return static_cast<i32>(b) >> (a & 31); })>},
    {18, "v_lshlrev_b32", u32_2<[](u32 a, u32 b) { return b << (a & 31); }>},
    {19, "v_and_b32", u32_2<[](u32 a, u32 b) { return a & b; }>},
    {20, "v_or_b32", u32_2<[](u32 a, u32 b) { return a | b; }>},
    {21, "v_xor_b32", u32_2<[](u32 a, u32 b) { return a ^ b; }>},
    {22, "v_mac_f32", multiply_accumulate<false>},
    {23, "v_madmk_f32", with_constant<true>},
    {24, "v_madak_f32", with_constant<false>},
    {25, "v_add_co_u32", add_with_carry<false, false, Carry::none>},
    {26, "v_sub_co_u32", add_with_carry<true, false, Carry::none>},
    {27, "v_subrev_co_u32", add_with_carry<true, true, Carry::none>},
    {28, "v_addc_co_u32", add_with_carry<false, false, Carry::in>},
    {29, "v_subb_co_u32", add_with_carry<true, false, Carry::in>},
    {30, "v_subbrev_co_u32", add_with_carry<true, true, Carry::in>},
    {31, "v_add_f16", f16_2<[](double a, double b) { return a + b; }>},
    {32, "v_sub_f16", f16_2<[](double a, double b) { return a - b; }>},
    {33, "v_subrev_f16", f16_2<[](double a, double b) { return b - a; }>},
    {34, "v_mul_f16", f16_2<[](double a, double b) { return a * b; }>},
    {35, "v_mac_f16"},
    {36, "v_madmk_f16"},
    {37, "v_madak_f16"},
    {38, "v_add_u16", clamped<b16_2<u16, add16>, b16_2<u16, add16_saturating>>},
    {39, "v_sub_u16", clamped<b16_2<u16, subtract16>, b16_2<u16, subtract16_saturating>>},
    {40, "v_subrev_u16", b16_2<u16, [](u16 a, u16 b) { return b - a; }>},
    {41, "v_mul_lo_u16", b16_2<u16, [](u32 a, u32 b) { return a * b; }>},
    {42, "v_lshlrev_b16", b16_2<u16, [](u16 a, u16 b) { return b << (a & 15); }>},
    {43, "v_lshrrev_b16", b16_2<u16, ([](u16 a, u16 b) { return b >> (a & 15); })>},
    {44, "v_ashrrev_i16", b16_2<i16, ([](i16 a, i16 b) { return b >> (a & 15); })>},
    {45, "v_max_f16", f16_2<maximum<float>>},
    {46, "v_min_f16", f16_2<minimum<float>>},
    {47, "v_max_u16", b16_2<u16, greatest<u16>>},
    {48, "v_max_i16", b16_2<i16, greatest<i16>>},
    {49, "v_min_u16", b16_2<u16, least<u16>>},
    {50, "v_min_i16", b16_2<i16, least<i16>>},
    {51, "v_ldexp_f16", scale_half},
    {52, "v_add_u32", clamped<u32_2<add32>, u32_2<add32_saturating>>},
    {53, "v_sub_u32", clamped<u32_2<subtract32>, u32_2<subtract32_saturating>>},
    {54, "v_subrev_u32", clamped<u32_2<subtract32_reversed>, u32_2<subtract32_reversed_saturating>>},
    {55, "v_dot2c_f32_f16"},
    {56, "v_dot2c_i32_i16"},
    {57, "v_dot4c_i32_i8"},
    {58, "v_dot8c_i32_i4"},
    {59, "v_fmac_f32", multiply_accumulate<true>},
    {60, "v_pk_fmac_f16"},
    {61, "v_xnor_b32", u32_2<[](u32 a, u32 b) { return ~(a ^ b); }>},
};

} // namespace

std::span<const Opcode> vop2_opcodes() {
    return vop2;
}

} // namespace amd_gpu
