// SPDX-License-Identifier: Apache-2.0
#include "builtin.hpp"

#include <bit>

namespace kernels {
namespace {

using Calculation = Wide (*)(Type, Wide, Wide, Wide);

/// A row with one integer as its result, wrapped to the result's type.
Builtin row(std::string name, std::string arguments, char result, Calculation calculate,
            std::vector<Type> types = integer_types()) {
    std::string expression = name + "(A";
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        expression += std::string(", ") + static_cast<char>('A' + i);
    }
    return {name,
            expression + ")",
            std::move(arguments),
            std::string(1, result),
            std::move(types),
            [calculate, result](const Call& c) {
                const Wide answer = calculate(c.type, c.i(), c.in[1] != nullptr ? c.i(1) : 0,
                                              c.in[2] != nullptr ? c.i(2) : 0);
                c.out[0]->integer(wrap(letter_type(result, c.type, c.width), answer));
            }};
}

Wide magnitude(Wide a) {
    return a < 0 ? -a : a;
}
std::uint64_t pattern(Type t, Wide a) {
    return static_cast<std::uint64_t>(static_cast<UnsignedWide>(a) & ((UnsignedWide{1} << bits_of(t)) - 1));
}
/// The upper half of a product of two numbers of the type. A 64-bit unsigned product needs all 128 bits.
Wide high(Type t, Wide a, Wide b) {
    return is_unsigned(t) ? static_cast<Wide>((static_cast<UnsignedWide>(a) * static_cast<UnsignedWide>(b)) >>
                                              bits_of(t))
                          : (a * b) >> bits_of(t);
}
/// a * b + c without the overflow of 64-bit unsigned operands.
Wide mad_saturated(Type t, Wide a, Wide b, Wide c) {
    if (is_unsigned(t) && high(t, a, b) != 0) {
        return max_of(t);
    }
    return saturate(t, a * b + c);
}
Wide rotated(Type t, Wide a, Wide b) {
    const unsigned bits = bits_of(t);
    const auto count = static_cast<unsigned>(pattern(t, b) % bits);
    const auto p = static_cast<UnsignedWide>(pattern(t, a));
    return static_cast<Wide>((p << count) | (p >> (bits - count)));
}
/// The product is defined only for operands of 24 bits.
Wide low24(Type t, Wide a) {
    return t == Type::i32 ? wrap(Type::i32, a << 8) >> 8 : a & 0xffffff;
}

const std::vector<Type> narrow{Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32};
const std::vector<Type> words{Type::i32, Type::u32};

void add_24_bit(std::vector<Builtin>& rows) {
    Builtin mul24 = row(
        "mul24", "gg", 'g', [](Type t, Wide a, Wide b, Wide) { return low24(t, a) * low24(t, b); }, words);
    Builtin mad24 = row(
        "mad24", "ggg", 'g', [](Type t, Wide a, Wide b, Wide c) { return low24(t, a) * low24(t, b) + c; },
        words);
    mul24.expression = "mul24(A << ($T)8 >> ($T)8, B << ($T)8 >> ($T)8)";
    mad24.expression = "mad24(A << ($T)8 >> ($T)8, B << ($T)8 >> ($T)8, C)";
    rows.push_back(mul24);
    rows.push_back(mad24);
}

} // namespace

std::vector<Type> integer_types() {
    return {Type::i8, Type::u8, Type::i16, Type::u16, Type::i32, Type::u32, Type::i64, Type::u64};
}

std::vector<Builtin> integer_builtins() {
    std::vector<Builtin> rows{
        row("abs", "g", 'u', [](Type, Wide a, Wide, Wide) { return magnitude(a); }),
        row("abs_diff", "gg", 'u', [](Type, Wide a, Wide b, Wide) { return magnitude(a - b); }),
        row("add_sat", "gg", 'g', [](Type t, Wide a, Wide b, Wide) { return saturate(t, a + b); }),
        row("sub_sat", "gg", 'g', [](Type t, Wide a, Wide b, Wide) { return saturate(t, a - b); }),
        row("hadd", "gg", 'g', [](Type, Wide a, Wide b, Wide) { return (a + b) >> 1; }),
        row("rhadd", "gg", 'g', [](Type, Wide a, Wide b, Wide) { return (a + b + 1) >> 1; }),
        row("clz", "g", 'g',
            [](Type t, Wide a, Wide, Wide) {
                return static_cast<Wide>(std::countl_zero(pattern(t, a)) - 64 + static_cast<int>(bits_of(t)));
            }),
        row("popcount", "g", 'g',
            [](Type t, Wide a, Wide, Wide) { return static_cast<Wide>(std::popcount(pattern(t, a))); }),
        row("mul_hi", "gg", 'g', [](Type t, Wide a, Wide b, Wide) { return high(t, a, b); }),
        row("mad_hi", "ggg", 'g', [](Type t, Wide a, Wide b, Wide c) { return high(t, a, b) + c; }),
        row("mad_sat", "ggg", 'g', mad_saturated),
        row("max", "gg", 'g', [](Type, Wide a, Wide b, Wide) { return a < b ? b : a; }),
        row("min", "gg", 'g', [](Type, Wide a, Wide b, Wide) { return b < a ? b : a; }),
        row("max", "gs", 'g', [](Type, Wide a, Wide b, Wide) { return a < b ? b : a; }),
        row("min", "gs", 'g', [](Type, Wide a, Wide b, Wide) { return b < a ? b : a; }),
        row("rotate", "gg", 'g', [](Type t, Wide a, Wide b, Wide) { return rotated(t, a, b); }),
        row(
            "upsample", "gu", 'd', [](Type t, Wide a, Wide b, Wide) { return (a << bits_of(t)) | b; },
            narrow),
    };
    for (const char* arguments : {"ggg", "gss"}) {
        rows.push_back({"clamp", "clamp(A, B, C)", arguments, "g", integer_types(), [](const Call& c) {
                            c.out[0]->any = c.i(1) > c.i(2);
                            c.out[0]->integer(c.i() < c.i(1) ? c.i(1) : c.i() > c.i(2) ? c.i(2) : c.i());
                        }});
    }
    rows[13].name = "max(scalar)";
    rows[14].name = "min(scalar)";
    rows.back().name = "clamp(scalar)";
    add_24_bit(rows);
    return rows;
}

} // namespace kernels
