// SPDX-License-Identifier: Apache-2.0
#include "calculator.hpp"

#include <limits>

// Built-in functions of a few instructions, for scalars and vectors alike.
namespace ferry::emit_spirv::vulkan {

/// Scalars next to vectors apply to all components.
void VulkanEmitter::widen_arguments(const Expr& e, Words& arguments) {
    unsigned lanes = 1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        lanes = std::max(lanes, types_.lanes(argument_type(e, i)));
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Type t = argument_type(e, i);
        if (lanes > 1 && types_.is_arithmetic(t)) {
            arguments[i] = splat(arguments[i], {shape(t).kind, lanes});
        }
    }
}

/// The high half of a product.
Id VulkanEmitter::high_product(const Calculator& c, Id a, Id b) {
    if (c.bits() < 64) {
        const Calculator wide = c.of(c.is_signed() ? TypeKind::long_ : TypeKind::ulong);
        const Id product = wide.op(Opcode::i_mul, c.as(a, wide.s.kind), c.as(b, wide.s.kind));
        return wide.as(wide.right(product, c.bits()), c.s.kind);
    }
    const Calculator u = c.of(TypeKind::ulong);
    const Id low = u.fixed(0xffffffff);
    const auto mul = [&](Id x, Id y) { return u.op(Opcode::i_mul, x, y); };
    const auto add = [&](Id x, Id y) { return u.op(Opcode::i_add, x, y); };
    const Id a0 = u.op(Opcode::bitwise_and, a, low);
    const Id b0 = u.op(Opcode::bitwise_and, b, low);
    const Id a1 = u.right(a, 32);
    const Id b1 = u.right(b, 32);
    const Id middle = add(mul(a1, b0), u.right(mul(a0, b0), 32));
    const Id other = add(mul(a0, b1), u.op(Opcode::bitwise_and, middle, low));
    Id high = add(add(mul(a1, b1), u.right(middle, 32)), u.right(other, 32));
    if (c.is_signed()) {
        const Id zero = c.fixed(0);
        high = c.op(Opcode::i_sub, high, c.select(c.less(a, zero), b, zero));
        high = c.op(Opcode::i_sub, high, c.select(c.less(b, zero), a, zero));
    }
    return high;
}

Id VulkanEmitter::added_and_limited(const Calculator& c, Id a, Id b) {
    if (!c.is_signed()) { // This form is right with the driver that VulkanTarget::hides_limits names.
        return c.op(Opcode::i_add, a, smaller(c.s, b, c.op(Opcode::bitwise_not, a)));
    }
    const Id sum = c.op(Opcode::i_add, a, b);
    const Id differs =
        c.op(Opcode::bitwise_and, c.op(Opcode::bitwise_xor, a, sum), c.op(Opcode::bitwise_xor, b, sum));
    const Id limit = c.op(Opcode::bitwise_xor, c.right(a, c.bits() - 1), c.most());
    return c.select(c.less(differs, c.fixed(0)), limit, sum);
}

Id VulkanEmitter::subtracted_and_limited(const Calculator& c, Id a, Id b) {
    if (!c.is_signed()) {
        return c.op(Opcode::i_sub, a, smaller(c.s, a, b));
    }
    const Id difference = c.op(Opcode::i_sub, a, b);
    const Id differs =
        c.op(Opcode::bitwise_and, c.op(Opcode::bitwise_xor, a, b), c.op(Opcode::bitwise_xor, a, difference));
    const Id limit = c.op(Opcode::bitwise_xor, c.right(a, c.bits() - 1), c.most());
    return c.select(c.less(differs, c.fixed(0)), limit, difference);
}

Id VulkanEmitter::limited_sum(bool is_signed, Id a, Id b) {
    const Shape word{is_signed ? TypeKind::int_ : TypeKind::uint, 1};
    return added_and_limited(Calculator{*this, word}, a, b);
}

/// a * b + c, limited to the range of the type.
Id VulkanEmitter::product_and_limited(const Calculator& c, Id a, Id b, Id added) {
    if (c.bits() < 64) {
        const TypeKind wide = c.is_signed() ? TypeKind::long_ : TypeKind::ulong;
        const Calculator w = c.of(wide);
        const Id product = w.op(Opcode::i_mul, c.as(a, wide), c.as(b, wide));
        const Id sum = w.op(Opcode::i_add, product, c.as(added, wide));
        return converted(sum, w.s, c.s.kind, {true, {}});
    }
    const Calculator u = c.of(TypeKind::ulong);
    const Id high = high_product(c, a, b);
    const Id low = c.op(Opcode::i_add, c.op(Opcode::i_mul, a, b), added);
    const Id carry = u.select(u.less(low, added), u.fixed(1), u.fixed(0)); // low < added as unsigned numbers
    Id top = c.op(Opcode::i_add, high, carry);
    if (!c.is_signed()) {
        return c.select(c.test(Opcode::i_not_equal, top, c.fixed(0)), c.most(), low);
    }
    top = c.op(Opcode::i_add, top, c.right(added, 63));
    const Id limit = c.op(Opcode::bitwise_xor, c.right(top, 63), c.most());
    return c.select(c.test(Opcode::i_not_equal, top, c.right(low, 63)), limit, low);
}

/// Counts the zeros above the highest bit that is set.
/// The bits of a number of at most 32 bits, at the top of a word. NVIDIA's driver (580) fills the upper half
/// of a word with the sign of some numbers without one.
Id VulkanEmitter::at_top(const Calculator& c, Id a) {
    const Calculator w = c.of(TypeKind::uint);
    const Id word = c.of(unsigned_of(c.bits() / 8)).as(a, TypeKind::uint);
    return c.bits() == w.bits() ? word : w.left(word, w.bits() - c.bits());
}

Id VulkanEmitter::leading_zeros(const Calculator& c, Id a) {
    constexpr std::uint32_t find_u_msb = 75;
    const auto of_word = [&](Id word) {
        const Calculator w = c.of(TypeKind::uint);
        return w.op(Opcode::i_sub, w.fixed(31), glsl(w.type(), find_u_msb, {word}));
    };
    if (c.bits() < 64) {
        const Calculator w = c.of(TypeKind::uint);
        const Id count = of_word(at_top(c, a));
        return w.as(w.select(w.less(count, w.fixed(c.bits())), count, w.fixed(c.bits())), c.s.kind);
    }
    const Calculator u = c.of(TypeKind::ulong);
    const Calculator w = c.of(TypeKind::uint);
    const Id high = u.as(u.right(a, 32), TypeKind::uint);
    const Id low = w.op(Opcode::i_add, of_word(u.as(a, TypeKind::uint)), w.fixed(32));
    const Id none = w.test(Opcode::i_equal, high, w.fixed(0));
    return w.as(w.select(none, low, of_word(high)), c.s.kind);
}

Id VulkanEmitter::set_bits(const Calculator& c, Id a) {
    const Calculator w = c.of(TypeKind::uint);
    const Calculator u = c.of(unsigned_of(c.bits() / 8));
    if (c.bits() < 64) {
        return w.as(w.op(Opcode::bit_count, at_top(c, a)), c.s.kind);
    }
    const Id low = w.op(Opcode::bit_count, u.as(a, TypeKind::uint));
    const Id high = w.op(Opcode::bit_count, u.as(u.right(a, 32), TypeKind::uint));
    return w.as(w.op(Opcode::i_add, low, high), c.s.kind);
}

Id VulkanEmitter::rotated(const Calculator& c, Id a, Id by) {
    const Id most = c.fixed(c.bits() - 1);
    const Id up = c.op(Opcode::bitwise_and, by, most);
    const Id down = c.op(Opcode::bitwise_and, c.op(Opcode::s_negate, by), most);
    return c.op(Opcode::bitwise_or, c.op(Opcode::shift_left_logical, a, up),
                c.op(Opcode::shift_right_logical, a, down));
}

std::optional<Id> VulkanEmitter::composed(const Expr& e, std::string_view name, const Words& x) {
    Shape s = argument_shape(e, 0);
    s.lanes = types_.lanes(e.type);
    return is_floating(s.kind) || name == "nan" ? composed_of_floats(e, s, name, x)
                                                : composed_of_integers(e, s, name, x);
}

std::optional<Id> VulkanEmitter::composed_of_integers(const Expr& e, Shape s, std::string_view name,
                                                      const Words& x) {
    const Calculator c{*this, s};
    const auto half_sum = [&](Opcode whole, Opcode rest) {
        return c.op(rest, c.op(whole, x[0], x[1]), c.right(c.op(Opcode::bitwise_xor, x[0], x[1]), 1));
    };
    if (name == "abs" && !c.is_signed()) {
        return x[0];
    }
    if (name == "hadd") {
        return half_sum(Opcode::bitwise_and, Opcode::i_add);
    }
    if (name == "rhadd") {
        return half_sum(Opcode::bitwise_or, Opcode::i_sub);
    }
    if (name == "add_sat") {
        return added_and_limited(c, x[0], x[1]);
    }
    if (name == "sub_sat") {
        return subtracted_and_limited(c, x[0], x[1]);
    }
    if (name == "abs_diff") {
        return c.select(c.less(x[0], x[1]), c.op(Opcode::i_sub, x[1], x[0]), c.op(Opcode::i_sub, x[0], x[1]));
    }
    if (name == "mul24") {
        return c.op(Opcode::i_mul, x[0], x[1]);
    }
    if (name == "mad24") {
        return c.op(Opcode::i_add, c.op(Opcode::i_mul, x[0], x[1]), x[2]);
    }
    if (name == "mul_hi") {
        return high_product(c, x[0], x[1]);
    }
    if (name == "mad_hi") {
        return c.op(Opcode::i_add, high_product(c, x[0], x[1]), x[2]);
    }
    if (name == "mad_sat") {
        return product_and_limited(c, x[0], x[1], x[2]);
    }
    if (name == "clz") {
        return leading_zeros(c, x[0]);
    }
    if (name == "ctz") {
        const Id below = c.op(Opcode::i_sub, x[0], c.fixed(1));
        return set_bits(c, c.op(Opcode::bitwise_and, c.op(Opcode::bitwise_not, x[0]), below));
    }
    if (name == "popcount") {
        return set_bits(c, x[0]);
    }
    if (name == "rotate") {
        return rotated(c, x[0], x[1]);
    }
    if (name == "bitselect") {
        const Id differs = c.op(Opcode::bitwise_xor, x[0], x[1]);
        return c.op(Opcode::bitwise_xor, x[0], c.op(Opcode::bitwise_and, x[2], differs));
    }
    if (name == "upsample") {
        const Calculator wide = c.of(shape(e.type).kind);
        const Calculator low = c.of(unsigned_of(c.bits() / 8));
        return wide.op(Opcode::bitwise_or, wide.left(c.as(x[0], wide.s.kind), c.bits()),
                       low.as(x[1], wide.s.kind));
    }
    return std::nullopt;
}

std::optional<Id> VulkanEmitter::composed_of_floats(const Expr& e, Shape s, std::string_view name,
                                                    const Words& x) {
    if (name == "nan") {
        s = shape(e.type);
    }
    const Calculator c{*this, s};
    const unsigned size = opencl_c::size_of(s.kind);
    const Calculator b = c.of(unsigned_of(size));
    const auto bits = [&](Id value) { return make(Opcode::bitcast, b.type(), {value}); };
    const auto number = [&](Id value) { return make(Opcode::bitcast, c.type(), {value}); };
    const std::uint64_t sign = std::uint64_t{1} << (8 * size - 1);
    if (name == "nan") {
        const unsigned fraction = size == 2 ? 10 : size == 4 ? 23 : 52;
        const std::uint64_t quiet = (sign - 1) >> (fraction - 1) << (fraction - 1);
        return number(b.op(Opcode::bitwise_or, x[0], b.fixed(quiet)));
    }
    if (name == "bitselect") {
        const Id differs = b.op(Opcode::bitwise_xor, bits(x[0]), bits(x[1]));
        return number(b.op(Opcode::bitwise_xor, bits(x[0]), b.op(Opcode::bitwise_and, bits(x[2]), differs)));
    }
    if (name == "copysign") {
        const Id magnitude = b.op(Opcode::bitwise_and, bits(x[0]), b.fixed(sign - 1));
        return number(
            b.op(Opcode::bitwise_or, magnitude, b.op(Opcode::bitwise_and, bits(x[1]), b.fixed(sign))));
    }
    if (name == "mad") {
        return c.op(Opcode::f_add, c.op(Opcode::f_mul, x[0], x[1]), x[2]);
    }
    if (name == "fdim") {
        const Id none = c.test(Opcode::f_ord_less_than_equal, x[0], x[1]);
        return c.select(none, c.real(0), c.op(Opcode::f_sub, x[0], x[1]));
    }
    if (name == "native_divide" || name == "half_divide") {
        return c.op(Opcode::f_div, x[0], x[1]);
    }
    if (name == "native_recip" || name == "half_recip") {
        return c.op(Opcode::f_div, c.real(1), x[0]);
    }
    if (name == "native_exp10" || name == "native_log10") {
        constexpr std::uint32_t exp2 = 29;
        constexpr std::uint32_t log2 = 30;
        return name == "native_exp10"
                   ? glsl(c.type(), exp2, {c.op(Opcode::f_mul, x[0], c.real(3.321928094887362))})
                   : c.op(Opcode::f_mul, glsl(c.type(), log2, {x[0]}), c.real(0.30102999566398120));
    }
    if (name == "cross" && s.lanes == 4) {
        constexpr std::uint32_t cross = 68;
        const auto three = [&](Id v) { return components(v, s, {3, {0, 1, 2}}); };
        const Id product = glsl(number_type(s.kind, 3), cross, {three(x[0]), three(x[1])});
        return make(Opcode::composite_construct, c.type(), {product, real(s.kind, 0)});
    }
    if (name == "sign") {
        // By the bits, as a comparison may flush subnormal numbers.
        const Id size = b.op(Opcode::bitwise_and, bits(x[0]), b.fixed(sign - 1));
        const Id one =
            b.op(Opcode::bitwise_or, bits(c.real(1)), b.op(Opcode::bitwise_and, bits(x[0]), b.fixed(sign)));
        const Id infinite = bits(c.real(std::numeric_limits<double>::infinity()));
        const Id of_number = b.select(b.test(Opcode::i_equal, size, b.fixed(0)), bits(x[0]), one);
        return number(b.select(b.test(Opcode::u_less_than, infinite, size), b.fixed(0), of_number));
    }
    if (name == "degrees" || name == "radians") {
        const double factor = name == "degrees" ? 57.29577951308232 : 0.017453292519943295;
        return c.op(Opcode::f_mul, x[0], c.real(factor));
    }
    return std::nullopt;
}

} // namespace ferry::emit_spirv::vulkan
