// SPDX-License-Identifier: Apache-2.0
#include "calculator.hpp"
#include "emit_spirv/library.hpp"

#include <algorithm>
#include <cmath>
#include <string>

// Calls of the functions in library/. They belong to another tree, for which there is another emitter. It
// writes into the same module.
namespace ferry::emit_spirv::vulkan {

VulkanEmitter& VulkanEmitter::library_emitter() {
    if (library_ == nullptr) {
        if (findings_.library == nullptr) {
            findings_.library = std::make_unique<Findings>();
        }
        library_.reset(new VulkanEmitter(library(), library_refused_, *findings_.library, module_));
        library_->in_library_ = true;
        library_->target_ = target_;
    }
    return *library_;
}

/// The function for numbers of a kind. 0: the library has none.
FunctionId VulkanEmitter::library_function_for(std::string_view name, TypeKind kind) const {
    if (kind != TypeKind::float_ && kind != TypeKind::double_) {
        return 0;
    }
    const std::string end = kind == TypeKind::double_ ? "_d" : "";
    return library_function("fy_" + std::string(name) + end);
}

/// Calls a function with scalars.
Id VulkanEmitter::call_library(FunctionId id, const Words& arguments) {
    VulkanEmitter& other = library_emitter();
    const Instance* made = nullptr;
    try {
        made = &other.obtain(id, arguments, 0);
    } catch (const Refusal& refusal) { // Its position is in another text.
        throw Refusal{token_, refusal.message, refusal.image};
    }
    body_.inputs.insert(made->inputs.begin(), made->inputs.end());
    const Tree& tree = library();
    Words operands{made->id};
    operands.insert(operands.end(), arguments.begin(), arguments.end());
    return make(Opcode::function_call, other.type(tree.types.function(tree.functions[id].type).result),
                operands);
}

/// Emits a mathematical function by calls for each component. Functions with two results store the second
/// one.
std::optional<Id> VulkanEmitter::library_call(const Expr& e, std::string_view name, const Words& arguments) {
    const Shape s = shape(e.type);
    const TypeKind kind = argument_shape(e, 0).kind;
    name.remove_prefix(name.starts_with("half_") ? 5 : 0);
    const FunctionId id = library_function_for(name, kind);
    if (id == 0) {
        return std::nullopt;
    }
    const bool two = types_.is_pointer(argument_type(e, arguments.size() - 1));
    std::vector<std::pair<Id, Shape>> values;
    for (std::size_t i = 0; i < arguments.size() - (two ? 1 : 0); ++i) {
        Shape own = argument_shape(e, i);
        own.lanes = s.lanes; // Scalars were widened.
        values.emplace_back(arguments[i], own);
    }
    if (!two) {
        return each_lane(s, values, [&](const Words& one) { return call_library(id, one); });
    }
    const Type pointee = types_.element(argument_type(e, arguments.size() - 1));
    const Shape stored = shape(pointee);
    Words seconds;
    const Id first = each_lane(s, values, [&](const Words& one) {
        const Id both = call_library(id, one);
        seconds.push_back(make(Opcode::composite_extract, number_type(stored.kind), {both, 1}));
        return make(Opcode::composite_extract, number_type(s.kind), {both, 0});
    });
    Place to;
    to.type = pointee;
    to.pointer = arguments.back();
    to.storage = storage_of(pointee.space());
    to.align = static_cast<std::uint32_t>(types_.align(pointee));
    to.is_volatile = pointee.is_volatile();
    store(to, assembled(stored, seconds));
    return first;
}

/// Whether an instruction of "GLSL.std.450" is as good as the function of the library.
bool VulkanEmitter::prefers_instruction(std::string_view name, TypeKind kind) {
    constexpr std::string_view exact[] = {"trunc", "floor", "ceil", "rint", "fabs", "fmin", "fmax"};
    return name.starts_with("native_") || (name.starts_with("half_") && name.ends_with("sqrt")) ||
           (name == "rsqrt" && kind == TypeKind::float_) ||
           std::find(std::begin(exact), std::end(exact), name) != std::end(exact);
}

/// Divides doubles by the library, as Vulkan promises them no more than the precision of float.
Id VulkanEmitter::quotient(Shape s, Id a, Id b) {
    if (s.kind == TypeKind::float_ && !in_library_) {
        return quotient_of_floats(s, a, b);
    }
    const FunctionId id = in_library_ ? 0 : library_function_for("divide", s.kind);
    if (id == 0 || s.kind != TypeKind::double_) {
        return make(Opcode::f_div, number_type(s.kind, s.lanes), {a, b});
    }
    return each_lane(s, {{a, s}, {b, s}}, [&](const Words& one) { return call_library(id, one); });
}

/// Vulkan promises 2.5 ulp for divisors of 2^-126 to 2^126. Others are scaled first, and the quotient with
/// them.
Id VulkanEmitter::quotient_of_floats(Shape s, Id a, Id b) {
    constexpr std::uint32_t f_abs = 4;
    constexpr double large = 0x1p96;
    constexpr double step = 0x1p32;
    const Calculator c{*this, s};
    const Id size = glsl(c.type(), f_abs, {b});
    const Id up = c.select(c.test(Opcode::f_ord_less_than, size, c.real(1 / large)), c.real(step), c.real(1));
    const Id scale = c.select(c.test(Opcode::f_ord_greater_than, size, c.real(large)), c.real(1 / step), up);
    const Id quotient = c.op(Opcode::f_div, a, c.op(Opcode::f_mul, b, scale));
    return c.op(Opcode::f_mul, quotient, scale);
}

/// OpSRem of negative numbers is undefined in Vulkan.
Id VulkanEmitter::signed_remainder(Shape s, Id a, Id b) {
    const Calculator c{*this, s};
    return c.op(Opcode::i_sub, a, c.op(Opcode::i_mul, c.op(Opcode::s_div, a, b), b));
}

/// The root of scalars, rounded to nearest if the library has it.
Id VulkanEmitter::root(TypeKind kind, Id x) {
    constexpr std::uint32_t sqrt = 31;
    const FunctionId id = in_library_ ? 0 : library_function_for("sqrt", kind);
    return id != 0 ? call_library(id, {x}) : glsl(number_type(kind), sqrt, {x});
}

/// If components are infinite, they become 1 with their sign. The remaining components become 0.
Id VulkanEmitter::without_infinities(Shape s, Id v, Id sizes, Id most) {
    constexpr std::uint32_t f_sign = 6;
    const Id t = number_type(s.kind, s.lanes);
    const Id truth = bool_type(s.lanes);
    const Id is_infinite = make(Opcode::f_ord_equal, truth, {sizes, real(s.kind, HUGE_VAL, s.lanes)});
    const Id signs = make(Opcode::select, t, {is_infinite, glsl(t, f_sign, {v}), real(s.kind, 0, s.lanes)});
    Id any = make(Opcode::f_ord_equal, bool_type(), {most, real(s.kind, HUGE_VAL)});
    if (s.lanes > 1) {
        any = make(Opcode::composite_construct, truth, Words(s.lanes, any));
    }
    return make(Opcode::select, t, {any, signs, v});
}

/// Emits length, distance and normalize with a power of two that keeps the squares in range.
std::optional<Id> VulkanEmitter::geometric(const Expr& e, std::string_view name, const Words& x) {
    if (name != "length" && name != "distance" && name != "normalize") {
        return std::nullopt;
    }
    constexpr std::uint32_t f_abs = 4;
    constexpr std::uint32_t n_max = 80;
    const Shape s = argument_shape(e, 0);
    const Id one_type = number_type(s.kind);
    const Id whole_type = number_type(s.kind, s.lanes);
    const bool is_double = s.kind == TypeKind::double_;
    Id v = name == "distance" ? make(Opcode::f_sub, whole_type, {x[0], x[1]}) : x[0];
    if (s.lanes == 1 && name != "normalize") {
        return glsl(one_type, f_abs, {v});
    }
    const Id sizes = glsl(whole_type, f_abs, {v});
    Id most = lane(sizes, s, 0);
    for (std::uint32_t i = 1; i < s.lanes; ++i) {
        most = glsl(one_type, n_max, {most, lane(sizes, s, i)});
    }
    if (name == "normalize") {
        v = without_infinities(s, v, sizes, most);
        most = make(
            Opcode::select, one_type,
            {make(Opcode::f_ord_equal, bool_type(), {most, real(s.kind, HUGE_VAL)}), real(s.kind, 1), most});
    }
    const double large = is_double ? 0x1p500 : 0x1p60;
    const double reduced = is_double ? 0x1p-520 : 0x1p-66;
    const double enlarged =
        is_double ? 0x1p600 : 0x1p100; // The square of the least subnormal number stays normal.
    const Id is_large = make(Opcode::f_ord_greater_than, bool_type(), {most, real(s.kind, large)});
    const Id is_small = make(Opcode::f_ord_less_than, bool_type(), {most, real(s.kind, 1 / large)});
    const auto chosen = [&](double of_large, double of_small) {
        const Id other = make(Opcode::select, one_type, {is_small, real(s.kind, of_small), real(s.kind, 1)});
        return make(Opcode::select, one_type, {is_large, real(s.kind, of_large), other});
    };
    const Id factor = chosen(reduced, enlarged);
    const Id wide = s.lanes == 1 ? factor : splat(factor, s);
    const Id scaled = make(Opcode::f_mul, whole_type, {v, wide});
    const Id square = make(s.lanes == 1 ? Opcode::f_mul : Opcode::dot, one_type, {scaled, scaled});
    const Id length = root(s.kind, square);
    if (name != "normalize") {
        return make(Opcode::f_mul, one_type, {length, chosen(1 / reduced, 1 / enlarged)});
    }
    const Id nothing = make(Opcode::f_ord_equal, bool_type(), {length, real(s.kind, 0)});
    const Id divisor = make(Opcode::select, one_type, {nothing, real(s.kind, 1), length});
    return quotient(s, scaled, s.lanes == 1 ? divisor : splat(divisor, s));
}

} // namespace ferry::emit_spirv::vulkan
