// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernels {

/// The scalar types of OpenCL C that the tests cover.
enum class Type : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64 };

inline constexpr Type all_types[] = {Type::i8,  Type::u8,  Type::i16, Type::u16, Type::i32,
                                     Type::u32, Type::i64, Type::u64, Type::f32, Type::f64};
inline constexpr unsigned all_widths[] = {1, 2, 3, 4, 8, 16};

__extension__ using Wide = __int128; ///< holds every value of every integer type
__extension__ using UnsignedWide = unsigned __int128;

constexpr bool is_float(Type type) {
    return type >= Type::f32;
}
constexpr bool is_unsigned(Type type) {
    return !is_float(type) && (static_cast<unsigned>(type) & 1U) != 0;
}
constexpr std::size_t size_of(Type type) {
    return type == Type::f32   ? 4
           : type == Type::f64 ? 8
                               : std::size_t{1} << (static_cast<unsigned>(type) / 2);
}
constexpr unsigned bits_of(Type type) {
    return static_cast<unsigned>(8 * size_of(type));
}
constexpr Type integer_of(std::size_t size, bool is_signed) {
    const unsigned log = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    return static_cast<Type>(2 * log + (is_signed ? 0 : 1));
}

/// For example "uint", or "uint4" for a width other than 1.
std::string name_of(Type type, unsigned width = 1);

/// An exact value of any Type: an integer in `i`, or a floating-point number in `f`.
struct Value {
    Wide i = 0;
    long double f = 0;
};

constexpr Value integer(Wide i) {
    return {i, 0};
}
constexpr Value real(long double f) {
    return {0, f};
}

Wide min_of(Type type);
Wide max_of(Type type);
/// `value` modulo 2^bits, as two's complement if the type is signed.
Wide wrap(Type type, Wide value);
Wide saturate(Type type, Wide value);

Value load(Type type, const void* from);
/// Wraps integers, and rounds floating-point numbers to nearest even.
void store(Type type, const Value& value, void* to);
std::string text_of(Type type, const Value& value);

/// The distance between two neighbouring numbers of the type at `x`. Near zero it is the distance of
/// denormals.
long double ulp_at(Type type, long double x);
/// The least positive normal number.
long double least_normal(Type type);
long double largest(Type type);
bool is_denormal(Type type, long double x);

enum class Rounding : std::uint8_t { nearest_even, to_zero, up, down };

/// Converts `x`, which is not a NaN or infinity, to an integer.
long double round_to_integer(long double x, Rounding rounding);
/// Rounds to the nearest number in that mode. Numbers beyond the range become infinity or the largest number,
/// depending on the mode.
long double round_to_float(Type type, long double x, Rounding rounding);
/// The same for half: its bits, and the number that they mean.
std::uint16_t half_bits(long double x, Rounding rounding);
long double half_value(std::uint16_t bits);

/// Edge values that reveal careless code, and one random value.
std::vector<Value> edge_values(Type type);
Value random_value(Type type);

} // namespace kernels
