// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "opencl_c/builtins.hpp"

#include <algorithm>
#include <array>

namespace ferry::emit_spirv {
namespace {

// In the order of the values of FPRoundingMode.
constexpr std::array<std::string_view, 4> rounding_modes{"_rte", "_rtz", "_rtp", "_rtn"};

std::uint64_t most_of(TypeKind kind, bool is_signed) {
    const unsigned bits = 8 * opencl_c::size_of(kind) - (is_signed ? 1 : 0);
    return ~std::uint64_t{0} >> (64 - bits);
}

} // namespace

Id Emitter::conversion(const Expr& e) {
    const Type from = type_of(e.a);
    switch (e.conversion) {
    case Conversion::none:
        return value(e.a);
    case Conversion::load:
        return load(place(e.a));
    case Conversion::decay: {
        const Place whole = in_memory(place(e.a));
        const Type inner = types_.element(whole.type);
        const Place first = part(whole, integer(TypeKind::long_, 0), inner, 0);
        return address(first, e.type, e.token);
    }
    case Conversion::arithmetic: {
        const Id v = value(e.a);
        return types_.is(e.type, TypeKind::bool_) ? mask(is_true(v, from), {TypeKind::uchar, 1})
                                                  : converted(v, shape(from), shape(e.type).kind);
    }
    case Conversion::splat:
        return splat(value(e.a), shape(e.type));
    case Conversion::pointer:
        return pointer_cast(value(e.a), from, e.type);
    case Conversion::from_null:
        effects(e.a);
        return null(type(e.type, e.token));
    case Conversion::to_pointer:
        return pointer_from(converted(value(e.a), shape(from), TypeKind::ulong), e.type, e.token);
    case Conversion::to_integer:
        return converted(address_of(value(e.a)), {TypeKind::ulong, 1}, shape(e.type).kind);
    case Conversion::to_bool:
        return mask(is_true(value(e.a), from), {TypeKind::uchar, 1});
    case Conversion::reinterpret:
        if (types_.is(e.type, TypeKind::event)) {
            effects(e.a);
            return integer(TypeKind::ulong, 0);
        }
        return reinterpreted(value(e.a), shape(from), shape(e.type));
    case Conversion::drop:
        effects(e.a);
        return 0;
    }
    refuse(e.token, "this conversion has no form in SPIR-V");
}

Id Emitter::pointer_from(Id address, Type pointer, std::uint32_t token) {
    return make(Opcode::convert_u_to_ptr, type(pointer, token), {address});
}

Id Emitter::splat(Id scalar, Shape to) {
    return make(Opcode::composite_construct, number_type(to.kind, to.lanes), Words(to.lanes, scalar));
}

/// Limits a value to the range of an integer type. The result keeps the type of the value.
Id Emitter::clamped(Id v, Shape from, TypeKind to) {
    constexpr std::uint32_t s_max = 156;
    constexpr std::uint32_t s_min = 158;
    constexpr std::uint32_t u_min = 159;
    const Id t = number_type(from.kind, from.lanes);
    const bool from_signed = is_signed(from.kind);
    const std::uint64_t most = most_of(to, is_signed(to));
    if (from_signed && (!is_signed(to) || opencl_c::size_of(to) < opencl_c::size_of(from.kind))) {
        const std::uint64_t least = is_signed(to) ? ~most : 0;
        v = extended(t, s_max, {v, integer(from.kind, least, from.lanes)});
    }
    if (most < most_of(from.kind, from_signed)) {
        v = extended(t, from_signed ? s_min : u_min, {v, integer(from.kind, most, from.lanes)});
    }
    return v;
}

Id Emitter::converted(Id v, Shape from, TypeKind to, Rounding rounding) {
    const Id target = number_type(to, from.lanes);
    const bool to_float = is_floating(to);
    if (is_floating(from.kind)) {
        if (from.kind == to) {
            return v;
        }
        const Opcode opcode = to_float        ? Opcode::f_convert
                              : is_signed(to) ? Opcode::convert_f_to_s
                                              : Opcode::convert_f_to_u;
        const Id made = make(opcode, target, {v});
        const auto mode = std::find(rounding_modes.begin(), rounding_modes.end(), rounding.mode);
        if (mode != rounding_modes.end()) {
            module_->decorate(made, Decoration::fp_rounding_mode,
                              {static_cast<std::uint32_t>(mode - rounding_modes.begin())});
        }
        if (rounding.saturates) {
            module_->decorate(made, Decoration::saturated_conversion);
        }
        return made;
    }
    if (to_float) {
        const Id made =
            make(is_signed(from.kind) ? Opcode::convert_s_to_f : Opcode::convert_u_to_f, target, {v});
        const auto mode = std::find(rounding_modes.begin(), rounding_modes.end(), rounding.mode);
        if (mode != rounding_modes.end()) {
            module_->decorate(made, Decoration::fp_rounding_mode,
                              {static_cast<std::uint32_t>(mode - rounding_modes.begin())});
        }
        return made;
    }
    if (rounding.saturates) {
        v = clamped(v, from, to);
    }
    if (opencl_c::size_of(from.kind) == opencl_c::size_of(to)) {
        return v;
    }
    return make(is_signed(from.kind) ? Opcode::s_convert : Opcode::u_convert, target, {v});
}

/// Reinterprets the bits of a value. A vector of three is as large as one of four.
Id Emitter::reinterpreted(Id v, Shape from, Shape to) {
    if (from.lanes == 3 && to.lanes != 3) {
        v = components(v, from, {4, {0, 1, 2, 3}});
        from.lanes = 4;
    }
    const bool narrows = to.lanes == 3 && from.lanes != 3;
    const Shape whole{to.kind, narrows ? 4 : to.lanes};
    const Id target = number_type(whole.kind, whole.lanes);
    const Id made = target == number_type(from.kind, from.lanes) ? v : make(Opcode::bitcast, target, {v});
    return narrows ? components(made, whole, {3, {0, 1, 2}}) : made;
}

/// Emits convert_T_sat_rte() and as_T().
Id Emitter::call_conversion(const Expr& e, std::string_view name, Id v) {
    const Shape from = argument_shape(e, 0);
    const Shape to = shape(e.type);
    if (name.starts_with("as_")) {
        return reinterpreted(v, from, to);
    }
    const std::size_t mode = name.rfind("_rt");
    Rounding rounding;
    rounding.saturates = name.find("_sat") != std::string_view::npos;
    rounding.mode = mode != std::string_view::npos ? name.substr(mode) : std::string_view();
    return converted(v, from, to.kind, rounding);
}

} // namespace ferry::emit_spirv
