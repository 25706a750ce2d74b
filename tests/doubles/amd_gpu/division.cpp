// SPDX-License-Identifier: Apache-2.0
// The steps of division, and of sine's argument reduction: VOP3.
#include "vector_maps.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace amd_gpu {
namespace {

template <class T>
struct Layout;
template <>
struct Layout<float> {
    static constexpr int mantissa_bits = 23, exponent_mask = 255, bias = 127;
    static constexpr int scale = 64; // the exponent that div_scale adds
    static constexpr int far = 96;   // numerator and denominator so far apart need scaling
    static constexpr int tiny_numerator = 23, underflow = -150;
    using Wider = double; // holds products
    using WiderBits = u64;
};
template <>
struct Layout<double> {
    static constexpr int mantissa_bits = 52, exponent_mask = 2047, bias = 1023;
    static constexpr int scale = 128;
    static constexpr int far = 768;
    static constexpr int tiny_numerator = 53, underflow = -1075;
    using Wider = __float128;
    using WiderBits = unsigned __int128;
};

template <class T>
int exponent_field(T value) {
    return static_cast<int>(bits_of(value) >> Layout<T>::mantissa_bits) & Layout<T>::exponent_mask;
}

template <class T>
bool denormal(T value) {
    return exponent_field(value) == 0 && value != 0;
}

// Of the exact quotient, which may be rounded to 0 or to a normal number.
template <class T>
bool quotient_is_denormal(T numerator, T denominator) {
    using Wider = typename Layout<T>::Wider;
    const Wider quotient = static_cast<Wider>(numerator) / denominator;
    const Wider least = std::numeric_limits<T>::min();
    return quotient != 0 && quotient > -least && quotient < least;
}

// VALUE is the denominator or the numerator that needs scaling. AGAIN: the quotient must be scaled back.
template <class T>
T division_scale(T value, T denominator, T numerator, bool& again) {
    using L = Layout<T>;
    again = false;
    if (numerator == 0 || denominator == 0) {
        return std::numeric_limits<T>::quiet_NaN();
    }
    const bool is_denominator = value == denominator;
    const bool is_numerator = value == numerator;
    if (exponent_field(numerator) - exponent_field(denominator) >= L::far) {
        again = true;
        return is_denominator ? std::ldexp(value, L::scale) : value;
    }
    if (denormal(denominator)) {
        return std::ldexp(value, L::scale);
    }
    const bool reciprocal_denormal = quotient_is_denormal(T{1}, denominator);
    const bool quotient_denormal = quotient_is_denormal(numerator, denominator);
    if (reciprocal_denormal && quotient_denormal) { // AMD's text scales it up, and the largest would overflow
        again = true;
        return is_denominator ? std::ldexp(value, -L::scale) : value;
    }
    if (reciprocal_denormal) {
        return std::ldexp(value, -L::scale);
    }
    if (quotient_denormal) {
        again = true;
        return is_numerator ? std::ldexp(value, L::scale) : value;
    }
    return exponent_field(numerator) <= L::tiny_numerator ? std::ldexp(value, L::scale) : value;
}

template <class T>
T division_fixup(T quotient, T denominator, T numerator) {
    using L = Layout<T>;
    const bool negative = std::signbit(denominator) != std::signbit(numerator);
    const auto with_sign = [&](T magnitude) { return negative ? -magnitude : magnitude; };
    if (std::isnan(numerator)) {
        return numerator;
    }
    if (std::isnan(denominator)) {
        return denominator;
    }
    if ((denominator == 0 && numerator == 0) || (std::isinf(denominator) && std::isinf(numerator))) {
        return -std::numeric_limits<T>::quiet_NaN();
    }
    if (denominator == 0 || std::isinf(numerator)) {
        return with_sign(std::numeric_limits<T>::infinity());
    }
    if (std::isinf(denominator) || numerator == 0 ||
        exponent_field(numerator) - exponent_field(denominator) < L::underflow) {
        return with_sign(0);
    }
    // The steps of an overflowing division end in inf - inf.
    return with_sign(std::isnan(quotient) ? std::numeric_limits<T>::infinity() : std::fabs(quotient));
}

// A sum rounded to odd: a later rounding to fewer bits then gives the same result as one rounding of the
// exact sum.
template <class Wider, class Bits>
Wider sum_to_odd(Wider a, Wider b) {
    const Wider sum = a + b;
    const Wider of_b = sum - a;
    const Wider rest = (a - (sum - of_b)) + (b - of_b);
    const auto bits = std::bit_cast<Bits>(sum);
    const bool inexact = rest < 0 || rest > 0; // not if the sum is infinite or NaN
    if (!inexact || bits % 2 != 0) {
        return sum;
    }
    return std::bit_cast<Wider>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// Rounds once, also if the scaled result is denormal.
template <class T>
T division_step(T a, T b, T c, bool again) {
    using L = Layout<T>;
    if (!again) {
        return std::fma(a, b, c);
    }
    using Wider = typename L::Wider;
    const Wider product = static_cast<Wider>(a) * b;
    const T scale = std::ldexp(T{1}, exponent_field(c) > L::bias ? L::scale : -L::scale);
    return static_cast<T>(sum_to_odd<Wider, typename L::WiderBits>(product, c) * scale);
}

void scale32(Wave& wave, const Instruction& in) {
    Lanes32 space[3];
    const Lanes32& value = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& denominator = source32(wave, in, 1, As::f32, space[1]);
    const Lanes32& numerator = source32(wave, in, 2, As::f32, space[2]);
    Lanes32 result;
    u64 mask = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        bool again = false;
        result[lane] = bits_of(division_scale(as_float(value[lane]), as_float(denominator[lane]),
                                              as_float(numerator[lane]), again));
        mask |= static_cast<u64>(again) << lane;
    }
    store32(wave, in, result);
    store_mask(wave, in.scalar_destination, mask);
}

void scale64(Wave& wave, const Instruction& in) {
    Lanes64 value;
    Lanes64 denominator;
    Lanes64 numerator;
    source64(wave, in, 0, true, value);
    source64(wave, in, 1, true, denominator);
    source64(wave, in, 2, true, numerator);
    Lanes64 result;
    u64 mask = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        bool again = false;
        result[lane] = bits_of(division_scale(as_double(value[lane]), as_double(denominator[lane]),
                                              as_double(numerator[lane]), again));
        mask |= static_cast<u64>(again) << lane;
    }
    store64(wave, in, result);
    store_mask(wave, in.scalar_destination, mask);
}

void step32(Wave& wave, const Instruction& in) {
    Lanes32 space[3];
    const Lanes32& a = source32(wave, in, 0, As::f32, space[0]);
    const Lanes32& b = source32(wave, in, 1, As::f32, space[1]);
    const Lanes32& c = source32(wave, in, 2, As::f32, space[2]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const bool again = (wave.vcc() >> lane & 1) != 0;
        const float value = division_step(as_float(a[lane]), as_float(b[lane]), as_float(c[lane]), again);
        result[lane] = bits_of(output(in, value));
    }
    store32(wave, in, result);
}

void step64(Wave& wave, const Instruction& in) {
    Lanes64 a;
    Lanes64 b;
    Lanes64 c;
    source64(wave, in, 0, true, a);
    source64(wave, in, 1, true, b);
    source64(wave, in, 2, true, c);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        const bool again = (wave.vcc() >> lane & 1) != 0;
        const double value = division_step(as_double(a[lane]), as_double(b[lane]), as_double(c[lane]), again);
        result[lane] = bits_of(output(in, value));
    }
    store64(wave, in, result);
}

// The first 1216 bits of 2/pi.
constexpr u64 two_over_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                               0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                               0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                               0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                               0x3d0739f78a5292ea, 0x6bfb5fb1f8d5d085, 0x6033046fc7b6babf};
constexpr int two_over_pi_bits = 1216;

// 53 bits of 2/pi that matter for VALUE: those from SEGMENT * 53 on, and further for a large exponent.
double reduction_bits(double value, u32 segment) {
    int shift = static_cast<int>(segment & 31) * 53;
    const int exponent = exponent_field(value);
    if (exponent > 1077) {
        shift += exponent - 1077;
    }
    u64 mantissa = 0;
    for (int i = shift; i < shift + 53; ++i) {
        const u64 bit = i < two_over_pi_bits ? two_over_pi[i / 64] >> (63 - i % 64) & 1 : 0;
        mantissa = mantissa << 1 | bit;
    }
    return std::ldexp(static_cast<double>(mantissa), -53 - shift + (exponent >= 1968 ? 128 : 0));
}

void argument_reduction(Wave& wave, const Instruction& in) {
    Lanes64 value;
    Lanes32 space;
    source64(wave, in, 0, true, value);
    const Lanes32& segment = source32(wave, in, 1, As::integer, space);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result[lane] = bits_of(reduction_bits(as_double(value[lane]), segment[lane]));
    }
    store64(wave, in, result);
}

const Opcode division[] = {
    {478, "v_div_fixup_f32", f32_3<division_fixup<float>>},
    {479, "v_div_fixup_f64", f64_3<division_fixup<double>>},
    {480, "v_div_scale_f32", scale32},
    {481, "v_div_scale_f64", scale64},
    {482, "v_div_fmas_f32", step32},
    {483, "v_div_fmas_f64", step64},
    {519, "v_div_fixup_f16"},
    {658, "v_trig_preop_f64", argument_reduction},
};

} // namespace

std::span<const Opcode> division_opcodes() {
    return division;
}

} // namespace amd_gpu
