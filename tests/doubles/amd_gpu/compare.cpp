// SPDX-License-Identifier: Apache-2.0
// Vector comparisons: VOPC.
#include "vector_maps.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace amd_gpu {
namespace {

// The low three bits of an integer comparison's number, and the low four of a floating one's.
template <unsigned condition, class T>
bool holds(T a, T b) {
    switch (condition & 7) {
    case 1:
        return a < b;
    case 2:
        return a == b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    case 5:
        return std::is_integral_v<T> ? a != b : a < b || a > b;
    case 6:
        return a >= b;
    case 7:
        return std::is_integral_v<T> || (a == a && b == b);
    default:
        return false;
    }
}

// Conditions from 8 on are the opposite of those from 7 down: u of o, nge of ge, ... tru of f.
template <unsigned condition, class T>
bool condition_holds(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        return holds<condition>(a, b);
    } else if constexpr (condition < 8) {
        return holds<condition>(a, b);
    } else {
        return !holds<15 - condition>(a, b);
    }
}

template <class T>
struct LaneOf {
    using Bits = std::conditional_t<sizeof(T) == 8, Lanes64, Lanes32>;
};

// T: Half, float, double, Short<u16>, Short<i16> or an integer.
template <class T>
const typename LaneOf<T>::Bits& operand(Wave& wave, const Instruction& in, unsigned i,
                                        typename LaneOf<T>::Bits& space) {
    if constexpr (sizeof(T) == 8) {
        source64(wave, in, i, std::is_same_v<T, double>, space);
        return space;
    } else {
        return source32(wave, in, i, reading<T>, space);
    }
}

template <class T>
auto value_of(u64 bits) {
    if constexpr (std::is_same_v<T, double>) {
        return as_double(bits);
    } else if constexpr (sizeof(T) == 8) {
        return static_cast<T>(bits);
    } else if constexpr (std::is_same_v<T, Half>) {
        return from_half(static_cast<u32>(bits));
    } else if constexpr (std::is_same_v<T, float> || std::is_integral_v<T>) {
        return read_lane<T>(static_cast<u32>(bits));
    } else {
        return static_cast<decltype(T::value)>(bits);
    }
}

void write_result(Wave& wave, const Instruction& in, u64 mask, bool to_exec) {
    mask &= wave.exec();
    wave.set_pair(in.scalar_destination, mask);
    if (to_exec) {
        wave.set_pair(reg_exec, mask);
    }
}

template <class T, unsigned condition, bool to_exec>
void compare(Wave& wave, const Instruction& in) {
    typename LaneOf<T>::Bits space[2];
    const auto& a = operand<T>(wave, in, 0, space[0]);
    const auto& b = operand<T>(wave, in, 1, space[1]);
    Lanes32 result;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        result.at[lane] = condition_holds<condition>(value_of<T>(a.at[lane]), value_of<T>(b.at[lane]));
    }
    write_result(wave, in, compress(result), to_exec);
}

// The class of a number, as a bit of the instruction's second operand.
unsigned class_bit(u64 bits, unsigned exponent_bits, unsigned mantissa_bits) {
    const u64 mantissa = bits & ((1ULL << mantissa_bits) - 1);
    const u64 exponent = bits >> mantissa_bits & ((1ULL << exponent_bits) - 1);
    const bool negative = (bits >> (mantissa_bits + exponent_bits) & 1) != 0;
    constexpr unsigned signalling = 0;
    constexpr unsigned quiet = 1;
    if (exponent == (1ULL << exponent_bits) - 1) {
        if (mantissa != 0) {
            return (mantissa >> (mantissa_bits - 1) & 1) != 0 ? quiet : signalling;
        }
        return negative ? 2 : 9;
    }
    if (exponent == 0) {
        if (mantissa == 0) {
            return negative ? 5 : 6;
        }
        return negative ? 4 : 7;
    }
    return negative ? 3 : 8;
}

template <class T, bool to_exec>
void compare_class(Wave& wave, const Instruction& in) {
    typename LaneOf<T>::Bits space;
    Lanes32 mask_space;
    const auto& a = operand<T>(wave, in, 0, space);
    const Lanes32& wanted = source32(wave, in, 1, As::integer, mask_space);
    u64 result = 0;
    for (unsigned lane = 0; lane < lane_count; ++lane) {
        unsigned bit = 0;
        if constexpr (std::is_same_v<T, double>) {
            bit = class_bit(a[lane], 11, 52);
        } else if constexpr (std::is_same_v<T, float>) {
            bit = class_bit(a[lane], 8, 23);
        } else {
            bit = class_bit(a[lane] & 0xffff, 5, 10);
        }
        result |= static_cast<u64>(wanted[lane] >> bit & 1) << lane;
    }
    write_result(wave, in, result, to_exec);
}

template <class T, bool to_exec, std::size_t... condition>
constexpr std::array<Handler, sizeof...(condition)> handlers(std::index_sequence<condition...>) {
    return {compare<T, static_cast<unsigned>(condition), to_exec>...};
}

constexpr const char* float_conditions[] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                            "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
constexpr const char* integer_conditions[] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};

const char* kept_name(const std::string& name) {
    return (new std::string(name))->c_str();
}

// Comparisons of T from opcode FIRST on, then those that also write EXEC, 16 opcodes later.
template <class T>
void add_type(std::vector<Opcode>& rows, unsigned first, const char* type) {
    constexpr bool floating =
        std::is_same_v<T, Half> || std::is_same_v<T, float> || std::is_same_v<T, double>;
    constexpr std::size_t count = floating ? 16 : 8;
    const auto plain = handlers<T, false>(std::make_index_sequence<count>());
    const auto to_exec = handlers<T, true>(std::make_index_sequence<count>());
    for (unsigned condition = 0; condition < count; ++condition) {
        const std::string ending =
            std::string("_") + (floating ? float_conditions : integer_conditions)[condition] + "_" + type;
        rows.push_back({first + condition, kept_name("v_cmp" + ending), plain[condition]});
        rows.push_back({first + 16 + condition, kept_name("v_cmpx" + ending), to_exec[condition]});
    }
}

std::vector<Opcode> make_rows() {
    std::vector<Opcode> rows = {
        {16, "v_cmp_class_f32", compare_class<float, false>},
        {17, "v_cmpx_class_f32", compare_class<float, true>},
        {18, "v_cmp_class_f64", compare_class<double, false>},
        {19, "v_cmpx_class_f64", compare_class<double, true>},
        {20, "v_cmp_class_f16", compare_class<Half, false>},
        {21, "v_cmpx_class_f16", compare_class<Half, true>},
    };
    add_type<Half>(rows, 32, "f16");
    add_type<float>(rows, 64, "f32");
    add_type<double>(rows, 96, "f64");
    add_type<Short<i16>>(rows, 160, "i16");
    add_type<Short<u16>>(rows, 168, "u16");
    add_type<i32>(rows, 192, "i32");
    add_type<u32>(rows, 200, "u32");
    add_type<i64>(rows, 224, "i64");
    add_type<u64>(rows, 232, "u64");
    return rows;
}

} // namespace

std::span<const Opcode> vopc_opcodes() {
    static const std::vector<Opcode>& rows = *new std::vector<Opcode>(make_rows());
    return rows;
}

} // namespace amd_gpu
