// SPDX-License-Identifier: Apache-2.0
// Vector instructions of one source: VOP1.
#include "approximate.hpp"
#include "fault.hpp"
#include "vector_maps.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace amd_gpu {
namespace {

void nothing(Wave&, const Instruction&) {}

void read_first_lane(Wave& wave, const Instruction& in) {
    Lanes32 space;
    const Lanes32& from = source32(wave, in, 0, As::integer, space);
    const u64 exec = wave.exec();
    wave.scalar[in.destination] = from[exec == 0 ? 0 : static_cast<unsigned>(std::countr_zero(exec))];
}

void move_accumulator(Wave& wave, const Instruction& in) {
    store_lanes(wave, 256U + in.destination, Lanes32(wave.vector[in.source[0] & 511]));
}

void swap(Wave& wave, const Instruction& in) {
    const unsigned other = in.source[0] - code_vector;
    const Lanes32 old = wave.vector[in.destination];
    store_lanes(wave, in.destination, Lanes32(wave.vector[other]));
    store_lanes(wave, other, old);
}

template <class T>
T fraction(T value, T below_one) {
    return least(value - std::floor(value), below_one);
}

template <class T>
T mantissa(T value) {
    int exponent = 0;
    return std::isfinite(value) ? std::frexp(value, &exponent) : value;
}

template <class T>
int exponent_of(T value) {
    int exponent = 0;
    if (std::isfinite(value)) {
        std::frexp(value, &exponent);
    }
    return exponent;
}

u32 reversed(u32 value) {
    value = (value & 0x55555555) << 1 | (value >> 1 & 0x55555555);
    value = (value & 0x33333333) << 2 | (value >> 2 & 0x33333333);
    value = (value & 0x0f0f0f0f) << 4 | (value >> 4 & 0x0f0f0f0f);
    return __builtin_bswap32(value);
}

u32 leading(u32 value) {
    return value == 0 ? ~0U : static_cast<u32>(std::countl_zero(value));
}

template <unsigned byte>
float from_byte(u32 value) {
    return static_cast<float>(value >> (8 * byte) & 0xff);
}

constexpr auto power_of_two = [](double a) { return std::exp2(a); };
constexpr auto logarithm = [](double a) { return std::log2(a); };
constexpr auto reciprocal = [](double a) { return 1 / a; };
constexpr auto root = [](double a) { return std::sqrt(a); };
// Of -0: minus infinity.
constexpr auto reciprocal_root = [](double a) { return 1 / std::sqrt(a); };

// Arguments of sine and cosine are in turns.
double turns(float value) {
    return static_cast<double>(value) * 2 * std::numbers::pi;
}

const Opcode vop1[] = {
    {0, "v_nop", nothing},
    {1, "v_mov_b32", u32_1<[](u32 a) { return a; }>},
    {2, "v_readfirstlane_b32", read_first_lane},
    {3, "v_cvt_i32_f64", convert<double, u32, [](double a) { return to_i32(a); }>},
    {4, "v_cvt_f64_i32", convert<i32, double, [](i32 a) { return a; }>},
    {5, "v_cvt_f32_i32", convert<i32, float, [](i32 a) { return a; }>},
    {6, "v_cvt_f32_u32", convert<u32, float, [](u32 a) { return a; }>},
    {7, "v_cvt_u32_f32", convert<float, u32, [](float a) { return to_u32(a); }>},
    {8, "v_cvt_i32_f32", convert<float, u32, [](float a) { return to_i32(a); }>},
    {10, "v_cvt_f16_f32", convert<float, Half, [](float a) { return a; }>},
    {11, "v_cvt_f32_f16", convert<Half, float, [](Half a) { return a.value; }>},
    {12, "v_cvt_rpi_i32_f32", convert<float, u32, [](float a) { return to_i32(std::floor(a + 0.5)); }>},
    {13, "v_cvt_flr_i32_f32", convert<float, u32, [](float a) { return to_i32(std::floor(a)); }>},
    {14, "v_cvt_off_f32_i4"},
    {15, "v_cvt_f32_f64", convert<double, float, [](double a) { return a; }>},
    {16, "v_cvt_f64_f32", convert<float, double, [](float a) { return a; }>},
    {17, "v_cvt_f32_ubyte0", convert<u32, float, from_byte<0>>},
    {18, "v_cvt_f32_ubyte1", convert<u32, float, from_byte<1>>},
    {19, "v_cvt_f32_ubyte2", convert<u32, float, from_byte<2>>},
    {20, "v_cvt_f32_ubyte3", convert<u32, float, from_byte<3>>},
    {21, "v_cvt_u32_f64", convert<double, u32, [](double a) { return to_u32(a); }>},
    {22, "v_cvt_f64_u32", convert<u32, double, [](u32 a) { return a; }>},
    {23, "v_trunc_f64", f64_1<[](double a) { return std::trunc(a); }>},
    {24, "v_ceil_f64", f64_1<[](double a) { return std::ceil(a); }>},
    {25, "v_rndne_f64", f64_1<[](double a) { return std::nearbyint(a); }>},
    {26, "v_floor_f64", f64_1<[](double a) { return std::floor(a); }>},
    {27, "v_fract_f32", f32_1<[](float a) { return fraction(a, 0x1.fffffep-1F); }>},
    {28, "v_trunc_f32", f32_1<[](float a) { return std::trunc(a); }>},
    {29, "v_ceil_f32", f32_1<[](float a) { return std::ceil(a); }>},
    {30, "v_rndne_f32", f32_1<[](float a) { return std::nearbyint(a); }>},
    {31, "v_floor_f32", f32_1<[](float a) { return std::floor(a); }>},
    {32, "v_exp_f32", f32_1<approximate32<power_of_two>>},
    {33, "v_log_f32", f32_1<approximate32<logarithm>>},
    {34, "v_rcp_f32", f32_1<approximate32<reciprocal>>},
    {35, "v_rcp_iflag_f32", f32_1<approximate32<reciprocal>>},
    {36, "v_rsq_f32", f32_1<approximate32<reciprocal_root>>},
    {37, "v_rcp_f64", f64_1<approximate64<reciprocal>>},
    {38, "v_rsq_f64", f64_1<approximate64<reciprocal_root>>},
    {39, "v_sqrt_f32", f32_1<approximate32<root>>},
    {40, "v_sqrt_f64", f64_1<approximate64<root>>},
    {41, "v_sin_f32", f32_1<[](float a) { return std::sin(turns(a)); }>},
    {42, "v_cos_f32", f32_1<[](float a) { return std::cos(turns(a)); }>},
    {43, "v_not_b32", u32_1<[](u32 a) { return ~a; }>},
    {44, "v_bfrev_b32", u32_1<reversed>},
    {45, "v_ffbh_u32", u32_1<leading>},
    {46, "v_ffbl_b32", u32_1<([](u32 a) { return a == 0 ? ~0U : static_cast<u32>(std::countr_zero(a)); })>},
    {47, "v_ffbh_i32", u32_1<([](u32 a) { return leading((a >> 31) != 0 ? ~a : a); })>},
    {48, "v_frexp_exp_i32_f64", convert<double, u32, [](double a) { return exponent_of(a); }>},
    {49, "v_frexp_mant_f64", f64_1<[](double a) { return mantissa(a); }>},
    {50, "v_fract_f64", f64_1<[](double a) { return fraction(a, 0x1.fffffffffffffp-1); }>},
    {51, "v_frexp_exp_i32_f32", convert<float, u32, [](float a) { return exponent_of(a); }>},
    {52, "v_frexp_mant_f32", f32_1<[](float a) { return mantissa(a); }>},
    {53, "v_clrexcp", nothing},
    {55, "v_screen_partition_4se_b32"},
    {57, "v_cvt_f16_u16", convert<Short<u16>, Half, ([](Short<u16> a) { return a.value; })>},
    {58, "v_cvt_f16_i16", convert<Short<i16>, Half, ([](Short<i16> a) { return a.value; })>},
    {59, "v_cvt_u16_f16", convert<Half, Short<u16>, [](Half a) { return least(to_u32(a.value), 65535U); }>},
    {60, "v_cvt_i16_f16",
     convert<Half, Short<i16>, [](Half a) { return greatest(least(to_i32(a.value), 32767), -32768); }>},
    {61, "v_rcp_f16", f16_1<approximate16<reciprocal>>},
    {62, "v_sqrt_f16", f16_1<approximate16<root>>},
    {63, "v_rsq_f16", f16_1<approximate16<reciprocal_root>>},
    {64, "v_log_f16", f16_1<approximate16<logarithm>>},
    {65, "v_exp_f16", f16_1<approximate16<power_of_two>>},
    {66, "v_frexp_mant_f16", f16_1<[](float a) { return mantissa(a); }>},
    {67, "v_frexp_exp_i16_f16", convert<Half, Short<i16>, [](Half a) { return exponent_of(a.value); }>},
    {68, "v_floor_f16", f16_1<[](float a) { return std::floor(a); }>},
    {69, "v_ceil_f16", f16_1<[](float a) { return std::ceil(a); }>},
    {70, "v_trunc_f16", f16_1<[](float a) { return std::trunc(a); }>},
    {71, "v_rndne_f16", f16_1<[](float a) { return std::nearbyint(a); }>},
    {72, "v_fract_f16", f16_1<[](float a) { return fraction(a, 0x1.ffcp-1F); }>},
    {73, "v_sin_f16", f16_1<[](float a) { return std::sin(turns(a)); }>},
    {74, "v_cos_f16", f16_1<[](float a) { return std::cos(turns(a)); }>},
    {75, "v_exp_legacy_f32"},
    {76, "v_log_legacy_f32"},
    {77, "v_cvt_norm_i16_f16"},
    {78, "v_cvt_norm_u16_f16"},
    {79, "v_sat_pk_u8_i16"},
    {81, "v_swap_b32", swap},
    {82, "v_accvgpr_mov_b32", move_accumulator},
};

} // namespace

std::span<const Opcode> vop1_opcodes() {
    return vop1;
}

} // namespace amd_gpu
