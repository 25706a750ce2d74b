// SPDX-License-Identifier: Apache-2.0
// Packed and mixed-precision vector instructions, and the accumulation registers: VOP3P.
#include "vector_maps.hpp"

#include <cmath>

namespace amd_gpu {
namespace {

// Which half of source I feeds the low or the high result.
bool upper_half(const Instruction& in, unsigned i, bool high) {
    return ((high ? in.select_high : in.select) >> i & 1) != 0;
}

bool negated(const Instruction& in, unsigned i, bool high) {
    return ((high ? in.negate_high : in.negate) >> i & 1) != 0;
}

u32 half_of(Wave& wave, const Instruction& in, unsigned i, unsigned lane, bool high, bool floating) {
    const unsigned code = in.source[i];
    const bool upper = upper_half(in, i, high);
    u32 value = 0;
    if (code >= code_vector) {
        value = wave.vector[code - code_vector][lane];
    } else {
        value = floating ? constant16(wave, in, code) : scalar32(wave, in, code);
    }
    value = (upper ? value >> 16 : value) & 0xffff;
    return floating && negated(in, i, high) ? value ^ 0x8000 : value;
}

// F(a, b, c) of 16 bits, for each half.
template <auto F, unsigned sources, bool floating>
void halves(Wave& wave, const Instruction& in) {
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        u32 half[2];
        for (unsigned high = 0; high < 2; ++high) {
            u32 value[3] = {0, 0, 0};
            for (unsigned i = 0; i < sources; ++i) {
                value[i] = half_of(wave, in, i, lane, high != 0, floating);
            }
            half[high] = static_cast<u32>(F(value[0], value[1], value[2])) & 0xffff;
        }
        result[lane] = half[0] | half[1] << 16;
    }
    store_lanes(wave, in.destination, result);
}

template <auto F, unsigned sources>
void integers(Wave& wave, const Instruction& in) {
    halves<F, sources, false>(wave, in);
}

// F of doubles, which hold sums and products of halves exactly.
template <auto F, unsigned sources>
void floats(Wave& wave, const Instruction& in) {
    halves<[](u32 a, u32 b, u32 c) { return to_half(F(from_half(a), from_half(b), from_half(c))); }, sources,
           true>(wave, in);
}

template <Handler plain, Handler saturating>
void clamped(Wave& wave, const Instruction& in) {
    (in.clamp ? saturating : plain)(wave, in);
}

// The word that feeds the low or the high result of a packed instruction of words.
u32 word_of(const Wave& wave, const Instruction& in, unsigned i, unsigned lane, bool high) {
    const unsigned code = in.source[i];
    const unsigned upper = upper_half(in, i, high) ? 1 : 0;
    if (code >= code_vector) {
        return wave.vector[code - code_vector + upper][lane];
    }
    return code < 128 ? wave.scalar[code + upper] : scalar32(wave, in, code);
}

template <auto F, unsigned sources>
void packed_floats(Wave& wave, const Instruction& in) {
    Lanes32 result[2];
    for (unsigned high = 0; high < 2; ++high) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            float value[3] = {0, 0, 0};
            for (unsigned i = 0; i < sources; ++i) {
                const float word = as_float(word_of(wave, in, i, lane, high != 0));
                value[i] = negated(in, i, high != 0) ? -word : word;
            }
            result[high][lane] = bits_of(F(value[0], value[1], value[2]));
        }
    }
    store_lanes(wave, in.destination, result[0]);
    store_lanes(wave, in.destination + 1U, result[1]);
}

void packed_move(Wave& wave, const Instruction& in) {
    Lanes32 result[2];
    for (unsigned i = 0; i < 2; ++i) {
        for (unsigned lane = 0; lane < lane_count; ++lane) {
            result[i][lane] = word_of(wave, in, i, lane, false);
        }
    }
    store_lanes(wave, in.destination, result[0]);
    store_lanes(wave, in.destination + 1U, result[1]);
}

// Here op_sel_hi says that a source is a half, op_sel which one, and neg_hi is the absolute value.
float mixed_source(Wave& wave, const Instruction& in, unsigned i, unsigned lane) {
    const unsigned code = in.source[i];
    const bool half = (in.select_high >> i & 1) != 0;
    u32 word = 0;
    if (code >= code_vector) {
        word = wave.vector[code - code_vector][lane];
    } else {
        word = half ? constant16(wave, in, code) : scalar32(wave, in, code);
    }
    float value = half ? from_half((in.select >> i & 1) != 0 ? word >> 16 : word & 0xffff) : as_float(word);
    if ((in.negate_high >> i & 1) != 0) {
        value = std::fabs(value);
    }
    return (in.negate >> i & 1) != 0 ? -value : value;
}

enum class Part : u8 { all, low, high };

template <Part part>
void mixed_fma(Wave& wave, const Instruction& in) {
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const u32 old = wave.vector[in.destination][lane];
        const float sum =
            output(in, std::fma(mixed_source(wave, in, 0, lane), mixed_source(wave, in, 1, lane),
                                mixed_source(wave, in, 2, lane)));
        if (part == Part::all) {
            result[lane] = bits_of(sum);
        } else if (part == Part::low) {
            result[lane] = (old & 0xffff0000) | to_half(sum);
        } else {
            result[lane] = (old & 0xffff) | to_half(sum) << 16;
        }
    }
    store_lanes(wave, in.destination, result);
}

void read_accumulator(Wave& wave, const Instruction& in) {
    store_lanes(wave, in.destination, Lanes32(wave.vector[in.source[0] & 511]));
}

void write_accumulator(Wave& wave, const Instruction& in) {
    Lanes32 space;
    const Lanes32 value = in.source[0] >= code_vector ? wave.vector[in.source[0] - code_vector]
                                                      : broadcast_source(wave, in, 0, As::integer, space);
    store_lanes(wave, 256U + in.destination, value);
}

i32 word(u32 value) {
    return static_cast<i16>(value);
}
i32 saturate(i32 value, i32 low, i32 high) {
    return greatest(low, least(value, high));
}

constexpr auto multiply_add = [](u32 a, u32 b, u32 c) { return a * b + c; };
constexpr auto add = [](u32 a, u32 b, u32) { return a + b; };
constexpr auto subtract = [](u32 a, u32 b, u32) { return a - b; };
constexpr auto add_signed = [](u32 a, u32 b, u32) { return saturate(word(a) + word(b), -32768, 32767); };
constexpr auto subtract_signed = [](u32 a, u32 b, u32) { return saturate(word(a) - word(b), -32768, 32767); };
constexpr auto add_unsigned = [](u32 a, u32 b, u32) { return least(a + b, 65535U); };
constexpr auto subtract_unsigned = [](u32 a, u32 b, u32) { return a < b ? 0 : a - b; };

const Opcode vop3p[] = {
    {0, "v_pk_mad_i16", integers<multiply_add, 3>},
    {1, "v_pk_mul_lo_u16", integers<[](u32 a, u32 b, u32) { return a * b; }, 2>},
    {2, "v_pk_add_i16", clamped<integers<add, 2>, integers<add_signed, 2>>},
    {3, "v_pk_sub_i16", clamped<integers<subtract, 2>, integers<subtract_signed, 2>>},
    {4, "v_pk_lshlrev_b16", integers<[](u32 a, u32 b, u32) { return b << (a & 15); }, 2>},
    {5, "v_pk_lshrrev_b16", integers<([](u32 a, u32 b, u32) { return b >> (a & 15); }), 2>},
    {6, "v_pk_ashrrev_i16", integers<([](u32 a, u32 b, u32) { return word(b) >> (a & 15); }), 2>},
    {7, "v_pk_max_i16", integers<[](u32 a, u32 b, u32) { return greatest(word(a), word(b)); }, 2>},
    {8, "v_pk_min_i16", integers<[](u32 a, u32 b, u32) { return least(word(a), word(b)); }, 2>},
    {9, "v_pk_mad_u16", integers<multiply_add, 3>},
    {10, "v_pk_add_u16", clamped<integers<add, 2>, integers<add_unsigned, 2>>},
    {11, "v_pk_sub_u16", clamped<integers<subtract, 2>, integers<subtract_unsigned, 2>>},
    {12, "v_pk_max_u16", integers<[](u32 a, u32 b, u32) { return greatest(a, b); }, 2>},
    {13, "v_pk_min_u16", integers<[](u32 a, u32 b, u32) { return least(a, b); }, 2>},
    {14, "v_pk_fma_f16", floats<[](double a, double b, double c) { return a * b + c; }, 3>},
    {15, "v_pk_add_f16", floats<[](double a, double b, double) { return a + b; }, 2>},
    {16, "v_pk_mul_f16", floats<[](double a, double b, double) { return a * b; }, 2>},
    {17, "v_pk_min_f16", floats<[](double a, double b, double) { return minimum(a, b); }, 2>},
    {18, "v_pk_max_f16", floats<[](double a, double b, double) { return maximum(a, b); }, 2>},
    {32, "v_mad_mix_f32", mixed_fma<Part::all>},
    {33, "v_mad_mixlo_f16", mixed_fma<Part::low>},
    {34, "v_mad_mixhi_f16", mixed_fma<Part::high>},
    {35, "v_dot2_f32_f16"},
    {38, "v_dot2_i32_i16"},
    {39, "v_dot2_u32_u16"},
    {40, "v_dot4_i32_i8"},
    {41, "v_dot4_u32_u8"},
    {42, "v_dot8_i32_i4"},
    {43, "v_dot8_u32_u4"},
    {48, "v_pk_fma_f32", packed_floats<[](float a, float b, float c) { return std::fma(a, b, c); }, 3>},
    {49, "v_pk_mul_f32", packed_floats<[](float a, float b, float) { return a * b; }, 2>},
    {50, "v_pk_add_f32", packed_floats<[](float a, float b, float) { return a + b; }, 2>},
    {51, "v_pk_mov_b32", packed_move},
    {64, "v_mfma_f32_32x32x1f32"},
    {65, "v_mfma_f32_16x16x1f32"},
    {66, "v_mfma_f32_4x4x1f32"},
    {68, "v_mfma_f32_32x32x2f32"},
    {69, "v_mfma_f32_16x16x4f32"},
    {88, "v_accvgpr_read_b32", read_accumulator},
    {89, "v_accvgpr_write_b32", write_accumulator},
};

} // namespace

std::span<const Opcode> vop3p_opcodes() {
    return vop3p;
}

} // namespace amd_gpu
