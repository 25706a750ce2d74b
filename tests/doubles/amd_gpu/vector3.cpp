// SPDX-License-Identifier: Apache-2.0
// Vector instructions that only the long encoding has: VOP3.
#include "fault.hpp"
#include "vector_maps.hpp"

#include <bit>
#include <cmath>

namespace amd_gpu {
namespace {

i32 low24(u32 value) {
    return static_cast<i32>(value << 8) >> 8;
}
i32 signed32(u32 value) {
    return static_cast<i32>(value);
}

u32 extract(u32 value, u32 offset, u32 width) {
    return value >> (offset & 31) & ((1U << (width & 31)) - 1);
}

u32 extract_signed(u32 value, u32 offset, u32 width) {
    offset &= 31;
    width &= 31;
    if (width == 0) {
        return 0;
    }
    if (offset + width >= 32) {
        return static_cast<u32>(signed32(value) >> offset);
    }
    return static_cast<u32>(signed32(value << (32 - offset - width)) >> (32 - width));
}

u32 permute(u32 high, u32 low, u32 selectors) {
    const u64 bytes = join(low, high);
    u32 result = 0;
    for (unsigned i = 0; i < 4; ++i) {
        const u32 selector = selectors >> (8 * i) & 0xff;
        u32 byte = 0;
        if (selector < 8) {
            byte = static_cast<u32>(bytes >> (8 * selector)) & 0xff;
        } else if (selector < 12) { // the sign of a word
            byte = (bytes >> (16 * (selector - 8) + 15) & 1) != 0 ? 0xff : 0;
        } else if (selector > 12) {
            byte = 0xff;
        }
        result |= byte << (8 * i);
    }
    return result;
}

u32 saturate(i64 value, i64 low, i64 high) {
    return static_cast<u32>(greatest(low, least(value, high)));
}

u32 pack_signed(u32 a, u32 b) {
    return (saturate(signed32(a), -32768, 32767) & 0xffff) | saturate(signed32(b), -32768, 32767) << 16;
}

template <Handler plain, Handler saturating>
void clamped(Wave& wave, const Instruction& in) {
    (in.clamp ? saturating : plain)(wave, in);
}

void multiply_add64_unsigned(Wave& wave, const Instruction& in, bool is_signed) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::integer, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::integer, space[1]);
    Lanes64 c;
    source64(wave, in, 2, false, c);
    Lanes64 result;
    u64 carries = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u64 product = is_signed ? static_cast<u64>(i64{signed32(a[lane])} * signed32(b[lane]))
                                      : static_cast<u64>(a[lane]) * b[lane];
        result[lane] = product + c[lane];
        carries |= static_cast<u64>(result[lane] < product) << lane;
    }
    store64(wave, in, result);
    store_mask(wave, in.scalar_destination, carries);
}

template <bool is_signed>
void multiply_add64(Wave& wave, const Instruction& in) {
    multiply_add64_unsigned(wave, in, is_signed);
}

// F(word, pair) to a pair.
template <auto F>
void shift64(Wave& wave, const Instruction& in) {
    Lanes32 space;
    const Lanes32& count = source32(wave, in, 0, As::integer, space);
    Lanes64 value;
    source64(wave, in, 1, false, value);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = static_cast<u64>(F(count.at[lane] & 63, value.at[lane]));
    }
    store64(wave, in, result);
}

void scale32(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& value = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& exponent = source32(wave, in, 1, As::integer, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result[lane] = bits_of(output(in, std::ldexp(as_float(value[lane]), signed32(exponent[lane]))));
    }
    store32(wave, in, result);
}

void scale64(Wave& wave, const Instruction& in) {
    Lanes64 value;
    Lanes32 space;
    source64(wave, in, 0, true, value);
    const Lanes32& exponent = source32(wave, in, 1, As::integer, space);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result[lane] = bits_of(output(in, std::ldexp(as_double(value[lane]), signed32(exponent[lane]))));
    }
    store64(wave, in, result);
}

void read_lane_register(Wave& wave, const Instruction& in) {
    Lanes32 space;
    const Lanes32& from = source32(wave, in, 0, As::integer, space);
    wave.scalar[in.destination] = from[scalar32(wave, in, in.source[1]) & 63];
}

void write_lane_register(Wave& wave, const Instruction& in) {
    wave.vector[in.destination][scalar32(wave, in, in.source[1]) & 63] = scalar32(wave, in, in.source[0]);
}

// Adds the number of bits that MASK has in the lanes below each lane: of lanes 0 to 31, or of lanes 32 to 63.
template <bool high>
void count_below(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& mask = source32(wave, in, 0, As::integer, space[0]);
    const Lanes32& base = source32(wave, in, 1, As::integer, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u64 below = (1ULL << lane) - 1;
        const u32 part = high ? high_half(below) : low_half(below);
        result[lane] = static_cast<u32>(std::popcount(mask[lane] & part)) + base[lane];
    }
    store32(wave, in, result);
}

void pack_toward_zero(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::f32, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result[lane] = to_half_toward_zero(as_float(a[lane])) | to_half_toward_zero(as_float(b[lane])) << 16;
    }
    store32(wave, in, result);
}

void pack_halves(Wave& wave, const Instruction& in) {
    Lanes32 space[2];
    const Lanes32& a = source32(wave, in, 0, As::f16, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::f16, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result[lane] = (a[lane] & 0xffff) | b[lane] << 16;
    }
    store32(wave, in, result);
}

constexpr auto add_signed = [](u32 a, u32 b) { return a + b; };
constexpr auto add_signed_saturating = [](u32 a, u32 b) {
    return saturate(i64{signed32(a)} + signed32(b), INT32_MIN, INT32_MAX);
};
constexpr auto subtract_signed = [](u32 a, u32 b) { return a - b; };
constexpr auto subtract_signed_saturating = [](u32 a, u32 b) {
    return saturate(i64{signed32(a)} - signed32(b), INT32_MIN, INT32_MAX);
};
constexpr auto add_short = [](i16 a, i16 b) { return a + b; };
constexpr auto add_short_saturating = [](i16 a, i16 b) { return saturate(a + b, -32768, 32767); };
constexpr auto subtract_short = [](i16 a, i16 b) { return a - b; };
constexpr auto subtract_short_saturating = [](i16 a, i16 b) { return saturate(a - b, -32768, 32767); };
// Halves have 11 bits, so that a product of two and the sum with a third are exact in a double.
constexpr auto fused_half = [](double a, double b, double c) { return a * b + c; };
constexpr auto add3_16 = [](u32 a, u32 b, u32 c) { return a * b + c; };

const Opcode vop3[] = {
    {448, "v_mad_legacy_f32",
     f32_3<[](float a, float b, float c) { return (a == 0 || b == 0 ? 0 : a * b) + c; }>},
    {449, "v_mad_f32", f32_3<[](float a, float b, float c) { return a * b + c; }>},
    {450, "v_mad_i32_i24",
     u32_3<([](u32 a, u32 b, u32 c) { return static_cast<u32>(i64{low24(a)} * low24(b)) + c; })>},
    {451, "v_mad_u32_u24", u32_3<[](u32 a, u32 b, u32 c) { return (a & 0xffffff) * (b & 0xffffff) + c; }>},
    {452, "v_cubeid_f32"},
    {453, "v_cubesc_f32"},
    {454, "v_cubetc_f32"},
    {455, "v_cubema_f32"},
    {456, "v_bfe_u32", u32_3<extract>},
    {457, "v_bfe_i32", u32_3<extract_signed>},
    {458, "v_bfi_b32", u32_3<[](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }>},
    {459, "v_fma_f32", f32_3<[](float a, float b, float c) { return std::fma(a, b, c); }>},
    {460, "v_fma_f64", f64_3<[](double a, double b, double c) { return std::fma(a, b, c); }>},
    {461, "v_lerp_u8"},
    {462, "v_alignbit_b32", u32_3<([](u32 a, u32 b, u32 c) { return join(b, a) >> (c & 31); })>},
    {463, "v_alignbyte_b32", u32_3<([](u32 a, u32 b, u32 c) { return join(b, a) >> (8 * (c & 3)); })>},
    {464, "v_min3_f32", f32_3<[](float a, float b, float c) { return minimum(minimum(a, b), c); }>},
    {465, "v_min3_i32",
     u32_3<[](u32 a, u32 b, u32 c) { return least(least(signed32(a), signed32(b)), signed32(c)); }>},
    {466, "v_min3_u32", u32_3<[](u32 a, u32 b, u32 c) { return least(least(a, b), c); }>},
    {467, "v_max3_f32", f32_3<[](float a, float b, float c) { return maximum(maximum(a, b), c); }>},
    {468, "v_max3_i32",
     u32_3<[](u32 a, u32 b, u32 c) { return greatest(greatest(signed32(a), signed32(b)), signed32(c)); }>},
    {469, "v_max3_u32", u32_3<[](u32 a, u32 b, u32 c) { return greatest(greatest(a, b), c); }>},
    {470, "v_med3_f32", f32_3<median<float>>},
    {471, "v_med3_i32",
     u32_3<[](u32 a, u32 b, u32 c) { return middle(signed32(a), signed32(b), signed32(c)); }>},
    {472, "v_med3_u32", u32_3<middle<u32>>},
    {473, "v_sad_u8"},
    {474, "v_sad_hi_u8"},
    {475, "v_sad_u16"},
    {476, "v_sad_u32", u32_3<[](u32 a, u32 b, u32 c) { return (a < b ? b - a : a - b) + c; }>},
    {477, "v_cvt_pk_u8_f32"},
    {484, "v_msad_u8"},
    {485, "v_qsad_pk_u16_u8"},
    {486, "v_mqsad_pk_u16_u8"},
    {487, "v_mqsad_u32_u8"},
    {488, "v_mad_u64_u32", multiply_add64<false>},
    {489, "v_mad_i64_i32", multiply_add64<true>},
    {490, "v_mad_legacy_f16"},
    {491, "v_mad_legacy_u16", b16_3<u16, add3_16, false>},
    {492, "v_mad_legacy_i16", b16_3<u16, add3_16, false>},
    {493, "v_perm_b32", u32_3<permute>},
    {494, "v_fma_legacy_f16", f16_3<fused_half, false>},
    {495, "v_div_fixup_legacy_f16"},
    {496, "v_cvt_pkaccum_u8_f32"},
    {497, "v_mad_u32_u16", u32_3<[](u32 a, u32 b, u32 c) { return (a & 0xffff) * (b & 0xffff) + c; }>},
    {498, "v_mad_i32_i16", u32_3<([](u32 a, u32 b, u32 c) {
         return static_cast<u32>(static_cast<i16>(a) * static_cast<i16>(b)) + c;
     })>},
    {499, "v_xad_u32", u32_3<[](u32 a, u32 b, u32 c) { return (a ^ b) + c; }>},
    {500, "v_min3_f16", f16_3<[](float a, float b, float c) { return minimum(minimum(a, b), c); }>},
    {501, "v_min3_i16", b16_3<i16, [](i16 a, i16 b, i16 c) { return least(least(a, b), c); }>},
    {502, "v_min3_u16", b16_3<u16, [](u16 a, u16 b, u16 c) { return least(least(a, b), c); }>},
    {503, "v_max3_f16", f16_3<[](float a, float b, float c) { return maximum(maximum(a, b), c); }>},
    {504, "v_max3_i16", b16_3<i16, [](i16 a, i16 b, i16 c) { return greatest(greatest(a, b), c); }>},
    {505, "v_max3_u16", b16_3<u16, [](u16 a, u16 b, u16 c) { return greatest(greatest(a, b), c); }>},
    {506, "v_med3_f16", f16_3<median<float>>},
    {507, "v_med3_i16", b16_3<i16, middle<i16>>},
    {508, "v_med3_u16", b16_3<u16, middle<u16>>},
    {509, "v_lshl_add_u32", u32_3<[](u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }>},
    {510, "v_add_lshl_u32", u32_3<[](u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }>},
    {511, "v_add3_u32", u32_3<[](u32 a, u32 b, u32 c) { return a + b + c; }>},
    {512, "v_lshl_or_b32", u32_3<[](u32 a, u32 b, u32 c) { return a << (b & 31) | c; }>},
    {513, "v_and_or_b32", u32_3<[](u32 a, u32 b, u32 c) { return (a & b) | c; }>},
    {514, "v_or3_b32", u32_3<[](u32 a, u32 b, u32 c) { return a | b | c; }>},
    {515, "v_mad_f16"},
    {516, "v_mad_u16", b16_3<u16, add3_16>},
    {517, "v_mad_i16", b16_3<u16, add3_16>},
    {518, "v_fma_f16", f16_3<fused_half>},
    {640, "v_add_f64", f64_2<[](double a, double b) { return a + b; }>},
    {641, "v_mul_f64", f64_2<[](double a, double b) { return a * b; }>},
    {642, "v_min_f64", f64_2<minimum<double>>},
    {643, "v_max_f64", f64_2<maximum<double>>},
    {644, "v_ldexp_f64", scale64},
    {645, "v_mul_lo_u32", u32_2<[](u32 a, u32 b) { return a * b; }>},
    {646, "v_mul_hi_u32", u32_2<([](u32 a, u32 b) { return static_cast<u64>(a) * b >> 32; })>},
    {647, "v_mul_hi_i32", u32_2<([](u32 a, u32 b) { return i64{signed32(a)} * signed32(b) >> 32; })>},
    {648, "v_ldexp_f32", scale32},
    {649, "v_readlane_b32", read_lane_register},
    {650, "v_writelane_b32", write_lane_register},
    {651, "v_bcnt_u32_b32", u32_2<([](u32 a, u32 b) { return static_cast<u32>(std::popcount(a)) + b; })>},
    {652, "v_mbcnt_lo_u32_b32", count_below<false>},
    {653, "v_mbcnt_hi_u32_b32", count_below<true>},
    {655, "v_lshlrev_b64", shift64<[](u32 count, u64 value) { return value << count; }>},
    {656, "v_lshrrev_b64", shift64<([](u32 count, u64 value) { return value >> count; })>},
    {657, "v_ashrrev_i64", shift64<([](u32 count, u64 value) { return static_cast<i64>(value) >> count; })>},
    {659, "v_bfm_b32", u32_2<[](u32 a, u32 b) { return ((1U << (a & 31)) - 1) << (b & 31); }>},
    {660, "v_cvt_pknorm_i16_f32"},
    {661, "v_cvt_pknorm_u16_f32"},
    {662, "v_cvt_pkrtz_f16_f32", pack_toward_zero},
    {663, "v_cvt_pk_u16_u32", u32_2<[](u32 a, u32 b) { return least(a, 65535U) | least(b, 65535U) << 16; }>},
    {664, "v_cvt_pk_i16_i32", u32_2<pack_signed>},
    {665, "v_cvt_pknorm_i16_f16"},
    {666, "v_cvt_pknorm_u16_f16"},
    {668, "v_add_i32", clamped<u32_2<add_signed>, u32_2<add_signed_saturating>>},
    {669, "v_sub_i32", clamped<u32_2<subtract_signed>, u32_2<subtract_signed_saturating>>},
    {670, "v_add_i16", clamped<b16_2<i16, add_short>, b16_2<i16, add_short_saturating>>},
    {671, "v_sub_i16", clamped<b16_2<i16, subtract_short>, b16_2<i16, subtract_short_saturating>>},
    {672, "v_pack_b32_f16", pack_halves},
    {673, "v_mul_legacy_f32", f32_2<[](float a, float b) { return a == 0 || b == 0 ? 0 : a * b; }>},
};

} // namespace

std::span<const Opcode> vop3_opcodes() {
    return vop3;
}

} // namespace amd_gpu
