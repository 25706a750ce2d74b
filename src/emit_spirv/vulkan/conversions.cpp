// SPDX-License-Identifier: Apache-2.0
#include "calculator.hpp"

#include <cmath>

// Conversions of numbers. Vulkan has no decorations for saturation and rounding.
namespace ferry::emit_spirv::vulkan {

std::uint32_t rounding_number(std::string_view name) {
    return name.ends_with("_rtz") ? 1 : name.ends_with("_rtp") ? 2 : name.ends_with("_rtn") ? 3 : 0;
}

Id VulkanEmitter::converted(Id v, Shape from, TypeKind to, Rounding rounding) {
    if (is_floating(from.kind) && is_floating(to)) {
        const bool narrows = opencl_c::size_of(to) < opencl_c::size_of(from.kind);
        const std::uint32_t mode = rounding_number(rounding.mode);
        return from.kind == to        ? v
               : narrows && mode != 0 ? narrowed(v, from, to, mode)
                                      : make(Opcode::f_convert, number_type(to, from.lanes), {v});
    }
    if (is_floating(from.kind)) {
        return to_integer(v, from, to, rounding);
    }
    if (is_floating(to)) {
        return from_integer(v, from, to, rounding.mode);
    }
    if (rounding.saturates) {
        v = limited(v, from, to);
    }
    if (opencl_c::size_of(from.kind) == opencl_c::size_of(to)) {
        return v;
    }
    if (target_.hides_extension && from.kind == TypeKind::int_ && opencl_c::size_of(to) == 8) {
        // An extension without the sign, and then the bit of the sign gets its weight.
        const Calculator c{*this, {to, from.lanes}};
        const Id sign = c.fixed(std::uint64_t{1} << 31U);
        return c.op(Opcode::i_sub, c.op(Opcode::bitwise_xor, c.op(Opcode::u_convert, v), sign), sign);
    }
    return make(is_signed(from.kind) ? Opcode::s_convert : Opcode::u_convert, number_type(to, from.lanes),
                {v});
}

/// Limits an integer to the range of another integer type.
Id VulkanEmitter::limited(Id v, Shape from, TypeKind to) {
    const Id t = number_type(from.kind, from.lanes);
    const Id truth = bool_type(from.lanes);
    const auto most_of = [](TypeKind kind) {
        return ~std::uint64_t{0} >> (64 - 8 * opencl_c::size_of(kind) + (is_signed(kind) ? 1 : 0));
    };
    const std::uint64_t most = most_of(to);
    const bool from_signed = is_signed(from.kind);
    if (from_signed && (!is_signed(to) || opencl_c::size_of(to) < opencl_c::size_of(from.kind))) {
        const Id least = integer(from.kind, is_signed(to) ? ~most : 0, from.lanes);
        v = make(Opcode::select, t, {make(Opcode::s_less_than, truth, {v, least}), least, v});
    }
    if (most < most_of(from.kind)) {
        const Id limit = integer(from.kind, most, from.lanes);
        const Opcode above = from_signed ? Opcode::s_greater_than : Opcode::u_greater_than;
        v = make(Opcode::select, t, {make(above, truth, {v, limit}), limit, v});
    }
    return v;
}

Id VulkanEmitter::to_integer(Id v, Shape from, TypeKind to, Rounding rounding) {
    constexpr std::uint32_t round_even = 2;
    constexpr std::uint32_t floor = 8;
    constexpr std::uint32_t ceil = 9;
    const Id real_type = number_type(from.kind, from.lanes);
    const Id given = v;
    if (!rounding.mode.empty() && rounding.mode != "_rtz") {
        v = glsl(real_type,
                 rounding.mode == "_rte"   ? round_even
                 : rounding.mode == "_rtp" ? ceil
                                           : floor,
                 {v});
    }
    const unsigned bits = 8 * opencl_c::size_of(to);
    const TypeKind wide = bits >= 32 ? to : is_signed(to) ? TypeKind::int_ : TypeKind::uint;
    Id made = make(is_signed(to) ? Opcode::convert_f_to_s : Opcode::convert_f_to_u,
                   number_type(wide, from.lanes), {v});
    const Id t = number_type(to, from.lanes);
    if (wide != to) {
        made = make(Opcode::u_convert, t, {made});
    }
    if (!rounding.saturates) {
        return made;
    }
    const Id truth = bool_type(from.lanes);
    const double beyond = std::ldexp(1.0, static_cast<int>(bits) - (is_signed(to) ? 1 : 0));
    const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits + (is_signed(to) ? 1 : 0));
    const Id high = make(Opcode::f_ord_greater_than_equal, truth, {v, real(from.kind, beyond, from.lanes)});
    made = make(Opcode::select, t, {high, integer(to, most, from.lanes), made});
    const Id in_range = make(Opcode::f_ord_greater_than, truth,
                             {v, real(from.kind, is_signed(to) ? -beyond : 0.0, from.lanes)});
    made = make(Opcode::select, t, {in_range, made, integer(to, is_signed(to) ? ~most : 0, from.lanes)});
    // By the bits, as a driver may assume that there is no NaN.
    const unsigned size = opencl_c::size_of(from.kind);
    const unsigned fraction = size == 2 ? 10 : size == 4 ? 23 : 52;
    const std::uint64_t all = ~std::uint64_t{0} >> (65 - 8 * size);
    const Calculator b{*this, {unsigned_of(size), from.lanes}};
    const Id magnitude = b.op(Opcode::bitwise_and, make(Opcode::bitcast, b.type(), {given}), b.fixed(all));
    const Id number = b.test(Opcode::u_less_than_equal, magnitude, b.fixed(all >> fraction << fraction));
    return make(Opcode::select, t, {number, made, integer(to, 0, from.lanes)});
}

Id VulkanEmitter::from_integer(Id v, Shape from, TypeKind to, std::string_view mode) {
    const Id t = number_type(to, from.lanes);
    const bool sign = is_signed(from.kind);
    const Id nearest = make(sign ? Opcode::convert_s_to_f : Opcode::convert_u_to_f, t, {v});
    const unsigned precision = to == TypeKind::half ? 11 : to == TypeKind::float_ ? 24 : 53;
    if (mode.empty() || mode == "_rte" || 8 * opencl_c::size_of(from.kind) <= precision) {
        return nearest;
    }
    if (to == TypeKind::half) { // A float holds all integers in the range of half.
        const Id wide = from_integer(v, from, TypeKind::float_, "_rte");
        return narrowed(wide, {TypeKind::float_, from.lanes}, to, rounding_number(mode));
    }
    // Without the digits that do not fit, the conversion is exact.
    const Calculator c{*this, {unsigned_of(opencl_c::size_of(from.kind)), from.lanes}};
    const Id zero = c.fixed(0);
    const Id negative = make(Opcode::s_less_than, c.truth(), {v, sign ? zero : v});
    const Id magnitude = c.select(negative, c.op(Opcode::s_negate, v), v);
    const Id zeros = leading_zeros(c, magnitude);
    const Id most = c.fixed(c.bits() - precision);
    const Id drop = c.select(c.less(zeros, most), c.op(Opcode::i_sub, most, zeros), zero);
    const Id kept =
        c.op(Opcode::shift_left_logical, c.op(Opcode::shift_right_logical, magnitude, drop), drop);
    const Calculator bits = c.of(unsigned_of(opencl_c::size_of(to)));
    Id made = make(Opcode::bitcast, bits.type(), {make(Opcode::convert_u_to_f, t, {kept})});
    if (mode != "_rtz") {
        const Id wanted = mode == "_rtp" ? make(Opcode::logical_not, c.truth(), {negative}) : negative;
        const Id grows =
            make(Opcode::logical_and, c.truth(), {wanted, c.test(Opcode::i_not_equal, kept, magnitude)});
        made = bits.select(grows, bits.op(Opcode::i_add, made, bits.fixed(1)), made);
    }
    const Id sign_bit = bits.fixed(std::uint64_t{1} << (bits.bits() - 1));
    made = bits.select(negative, bits.op(Opcode::bitwise_or, made, sign_bit), made);
    return make(Opcode::bitcast, t, {made});
}

/// Converts to a narrower floating type. The library does so by integers, because NVIDIA's driver flushes
/// subnormal numbers in some comparisons and conversions although the module asks it to keep them.
Id VulkanEmitter::narrowed(Id v, Shape from, TypeKind to, std::uint32_t mode) {
    const Shape bits{unsigned_of(opencl_c::size_of(to)), from.lanes};
    const FunctionId function =
        library_function_for(to == TypeKind::half ? "half_bits" : "float_bits", from.kind);
    const Id made = each_lane(bits, {{v, from}}, [&](const Words& one) {
        return call_library(function, {one[0], integer(TypeKind::int_, mode)});
    });
    return make(Opcode::bitcast, number_type(to, from.lanes), {made});
}

} // namespace ferry::emit_spirv::vulkan
