// SPDX-License-Identifier: Apache-2.0
// Handlers made of a function of one lane. The function is a template argument, so that the loop over the
// lanes becomes vector code.
#pragma once

#include "half.hpp"
#include "operands.hpp"

#include <type_traits>

namespace amd_gpu {

template <auto F, std::size_t... i>
void map_words(Wave& wave, const Instruction& in, std::index_sequence<i...>) {
    Lanes32 space[sizeof...(i)];
    const Lanes32* sources[] = {&source32(wave, in, i, As::integer, space[i])...};
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = static_cast<u32>(F(sources[i]->at[lane]...));
    }
    store32(wave, in, result);
}

// Words to a word.
template <auto F>
void u32_1(Wave& wave, const Instruction& in) {
    map_words<F>(wave, in, std::make_index_sequence<1>());
}
template <auto F>
void u32_2(Wave& wave, const Instruction& in) {
    map_words<F>(wave, in, std::make_index_sequence<2>());
}
template <auto F>
void u32_3(Wave& wave, const Instruction& in) {
    map_words<F>(wave, in, std::make_index_sequence<3>());
}

template <auto F, std::size_t... i>
void map_floats(Wave& wave, const Instruction& in, std::index_sequence<i...>) {
    Lanes32 space[sizeof...(i)];
    const Lanes32* sources[] = {&source32(wave, in, i, As::f32, space[i])...};
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = bits_of(static_cast<float>(F(as_float(sources[i]->at[lane])...)));
    }
    modify_floats(in, result);
    store32(wave, in, result);
}

// Floats to a float.
template <auto F>
void f32_1(Wave& wave, const Instruction& in) {
    map_floats<F>(wave, in, std::make_index_sequence<1>());
}
template <auto F>
void f32_2(Wave& wave, const Instruction& in) {
    map_floats<F>(wave, in, std::make_index_sequence<2>());
}
template <auto F>
void f32_3(Wave& wave, const Instruction& in) {
    map_floats<F>(wave, in, std::make_index_sequence<3>());
}

template <auto F, bool keeps, std::size_t... i>
void map_halves(Wave& wave, const Instruction& in, std::index_sequence<i...>) {
    Lanes32 space[sizeof...(i)];
    const Lanes32* sources[] = {&source32(wave, in, i, As::f16, space[i])...};
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = to_half(output(in, static_cast<double>(F(from_half(sources[i]->at[lane])...))));
    }
    store16(wave, in, result, keeps);
}

// Halves to a half, rounded once. KEEPS: the upper half of the destination stays.
template <auto F>
void f16_1(Wave& wave, const Instruction& in) {
    map_halves<F, false>(wave, in, std::make_index_sequence<1>());
}
template <auto F>
void f16_2(Wave& wave, const Instruction& in) {
    map_halves<F, false>(wave, in, std::make_index_sequence<2>());
}
template <auto F, bool keeps = true>
void f16_3(Wave& wave, const Instruction& in) {
    map_halves<F, keeps>(wave, in, std::make_index_sequence<3>());
}

// T: u16 or i16.
template <class T, auto F, bool keeps, std::size_t... i>
void map_shorts(Wave& wave, const Instruction& in, std::index_sequence<i...>) {
    Lanes32 space[sizeof...(i)];
    const Lanes32* sources[] = {&source32(wave, in, i, As::b16, space[i])...};
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = static_cast<u16>(F(static_cast<T>(sources[i]->at[lane])...));
    }
    store16(wave, in, result, keeps);
}
template <class T, auto F>
void b16_2(Wave& wave, const Instruction& in) {
    map_shorts<T, F, false>(wave, in, std::make_index_sequence<2>());
}
template <class T, auto F, bool keeps = true>
void b16_3(Wave& wave, const Instruction& in) {
    map_shorts<T, F, keeps>(wave, in, std::make_index_sequence<3>());
}

template <auto F, std::size_t... i>
void map_doubles(Wave& wave, const Instruction& in, std::index_sequence<i...>) {
    Lanes64 sources[sizeof...(i)];
    (source64(wave, in, i, true, sources[i]), ...);
    Lanes64 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = bits_of(static_cast<double>(F(as_double(sources[i].at[lane])...)));
    }
    modify_doubles(in, result);
    store64(wave, in, result);
}

// Doubles to a double.
template <auto F>
void f64_1(Wave& wave, const Instruction& in) {
    map_doubles<F>(wave, in, std::make_index_sequence<1>());
}
template <auto F>
void f64_2(Wave& wave, const Instruction& in) {
    map_doubles<F>(wave, in, std::make_index_sequence<2>());
}
template <auto F>
void f64_3(Wave& wave, const Instruction& in) {
    map_doubles<F>(wave, in, std::make_index_sequence<3>());
}

// Conversions. The source and result types are u32, i32, float, double; Half and Short are 16 bits of a word.
struct Half {
    float value;
};
template <class T>
struct Short {
    T value;
};

template <class T>
T read_lane(u32 bits) {
    if constexpr (std::is_same_v<T, float>) {
        return as_float(bits);
    } else if constexpr (std::is_same_v<T, Half>) {
        return {from_half(bits)};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(bits);
    } else {
        return {static_cast<decltype(T::value)>(bits)};
    }
}

template <class T>
constexpr As reading = std::is_same_v<T, float>  ? As::f32
                       : std::is_same_v<T, Half> ? As::f16
                       : std::is_integral_v<T>   ? As::integer
                                                 : As::b16;

template <class From, class To, auto F>
void convert(Wave& wave, const Instruction& in) {
    Lanes64 wide;
    Lanes32 space;
    const Lanes32* narrow = &space;
    if constexpr (std::is_same_v<From, double>) {
        source64(wave, in, 0, true, wide);
    } else {
        narrow = &source32(wave, in, 0, reading<From>, space);
    }
    Lanes32 result;
    Lanes64 wide_result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        From from;
        if constexpr (std::is_same_v<From, double>) {
            from = as_double(wide.at[lane]);
        } else {
            from = read_lane<From>(narrow->at[lane]);
        }
        if constexpr (std::is_same_v<To, double>) {
            wide_result.at[lane] = bits_of(static_cast<double>(F(from)));
        } else if constexpr (std::is_same_v<To, float>) {
            result.at[lane] = bits_of(static_cast<float>(F(from)));
        } else if constexpr (std::is_same_v<To, Half>) {
            result.at[lane] = to_half(output(in, static_cast<double>(F(from))));
        } else if constexpr (std::is_integral_v<To>) {
            result.at[lane] = static_cast<u32>(F(from));
        } else {
            result.at[lane] = static_cast<u16>(F(from));
        }
    }
    if constexpr (std::is_same_v<To, double>) {
        modify_doubles(in, wide_result);
        store64(wave, in, wide_result);
    } else if constexpr (std::is_same_v<To, float>) {
        modify_floats(in, result);
        store32(wave, in, result);
    } else if constexpr (std::is_integral_v<To>) {
        store32(wave, in, result);
    } else {
        store16(wave, in, result, false);
    }
}

// As the instructions convert: saturating, NaN becomes 0.
inline u32 to_u32(double value) {
    return !(value > 0) ? 0 : value >= 4294967295.0 ? 0xffffffff : static_cast<u32>(value);
}
inline i32 to_i32(double value) {
    return value >= 2147483647.0    ? 0x7fffffff
           : value <= -2147483648.0 ? static_cast<i32>(0x80000000)
           : value != value         ? 0
                                    : static_cast<i32>(value);
}

template <class T>
T least(T a, T b) {
    return a < b ? a : b;
}
template <class T>
T greatest(T a, T b) {
    return a < b ? b : a;
}
template <class T>
T middle(T a, T b, T c) {
    return greatest(least(a, b), least(greatest(a, b), c));
}

// IEEE's minNum and maxNum, with -0 below 0.
template <class T>
T minimum(T a, T b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
}
template <class T>
T maximum(T a, T b) {
    return a != a ? b : b != b ? a : a == b ? (std::signbit(a) ? b : a) : a < b ? b : a;
}
template <class T>
T median(T a, T b, T c) {
    if (a != a || b != b || c != c) {
        return minimum(minimum(a, b), c);
    }
    return greatest(least(a, b), least(greatest(a, b), c));
}

} // namespace amd_gpu
