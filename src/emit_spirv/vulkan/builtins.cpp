// SPDX-License-Identifier: Apache-2.0
#include "vulkan_emitter.hpp"

#include <algorithm>

// Calls of built-in functions: one instruction, a few instructions, or a function of the library.
namespace ferry::emit_spirv::vulkan {
namespace {

/// Numbers of the extended instructions of "GLSL.std.450". 0: none.
struct Row {
    std::string_view name;
    std::uint32_t of_floats, of_signed, of_unsigned;
    bool of_doubles; ///< Whether it takes doubles.
};
constexpr Row rows[] = {
    {"fabs", 4, 0, 0, true},
    {"floor", 8, 0, 0, true},
    {"ceil", 9, 0, 0, true},
    {"trunc", 3, 0, 0, true},
    {"rint", 2, 0, 0, true},
    {"sqrt", 31, 0, 0, true},
    {"rsqrt", 32, 0, 0, true},
    {"fmin", 79, 0, 0, true},
    {"fmax", 80, 0, 0, true},
    {"min", 37, 39, 38, true},
    {"max", 40, 42, 41, true},
    {"clamp", 43, 45, 44, true},
    {"abs", 0, 5, 0, false},
    {"mix", 46, 0, 0, true},
    {"step", 48, 0, 0, true},
    {"smoothstep", 49, 0, 0, true},
    {"degrees", 12, 0, 0, false},
    {"radians", 11, 0, 0, false},
    {"cross", 68, 0, 0, true},

    {"fast_distance", 67, 0, 0, false},
    {"fast_length", 66, 0, 0, false},
    {"fast_normalize", 69, 0, 0, false},
    {"fma", 50, 0, 0, true},
    {"sin", 13, 0, 0, false},
    {"cos", 14, 0, 0, false},
    {"tan", 15, 0, 0, false},
    {"asin", 16, 0, 0, false},
    {"acos", 17, 0, 0, false},
    {"atan", 18, 0, 0, false},
    {"sinh", 19, 0, 0, false},
    {"cosh", 20, 0, 0, false},
    {"tanh", 21, 0, 0, false},
    {"asinh", 22, 0, 0, false},
    {"acosh", 23, 0, 0, false},
    {"atanh", 24, 0, 0, false},
    {"atan2", 25, 0, 0, false},
    {"pow", 26, 0, 0, false},
    {"powr", 26, 0, 0, false},
    {"exp", 27, 0, 0, false},
    {"log", 28, 0, 0, false},
    {"exp2", 29, 0, 0, false},
    {"log2", 30, 0, 0, false},
    {"native_sin", 13, 0, 0, false},
    {"native_cos", 14, 0, 0, false},
    {"native_tan", 15, 0, 0, false},
    {"native_exp", 27, 0, 0, false},
    {"native_log", 28, 0, 0, false},
    {"native_exp2", 29, 0, 0, false},
    {"native_log2", 30, 0, 0, false},
    {"native_sqrt", 31, 0, 0, false},
    {"native_rsqrt", 32, 0, 0, false},
    {"native_powr", 26, 0, 0, false},
    {"half_sqrt", 31, 0, 0, false},
    {"half_rsqrt", 32, 0, 0, false},
};

} // namespace

VulkanEmitter::VulkanHandler VulkanEmitter::vulkan_handler_of(std::string_view name) const {
    struct HandlerRow {
        std::string_view names; ///< See is_listed().
        VulkanHandler handler;
    };
    static constexpr HandlerRow handlers[] = {
        {"isfinite isinf isnan isnormal signbit isordered isunordered", &VulkanEmitter::classify},
        {"any all", &VulkanEmitter::any_or_all_lanes},
        {"shuffle shuffle2", &VulkanEmitter::shuffled},
        {"get_sub_group_eq_mask get_sub_group_ge_mask get_sub_group_gt_mask get_sub_group_le_mask "
         "get_sub_group_lt_mask",
         nullptr},
        {"get_*", &VulkanEmitter::work_item_of_launch},
        {"barrier work_group_barrier sub_group_barrier mem_fence read_mem_fence write_mem_fence "
         "wait_group_events",
         &VulkanEmitter::synchronize},
        {"ferry_atomic_add_float atomic_* atom_*", &VulkanEmitter::atomic_in_vulkan},
        {"vload_half* vstore_half* vloada_half* vstorea_half*", &VulkanEmitter::access_half_bits},
        {"vload* vstore*", &VulkanEmitter::access_vector},
        {"work_group_*", &VulkanEmitter::refused_builtin},
        {"intel_sub_group_shuffle_up intel_sub_group_shuffle_down", &VulkanEmitter::refused_builtin},
        {"sub_group_any sub_group_all sub_group_broadcast sub_group_reduce* sub_group_scan* "
         "intel_sub_group_shuffle*",
         &VulkanEmitter::subgroup},
    };
    for (const HandlerRow& row : handlers) {
        if (is_listed(name, row.names)) {
            return row.handler;
        }
    }
    return nullptr;
}

Id VulkanEmitter::refused_builtin(const Expr& e, const Words&) {
    refuse(e.token,
           "the built-in function '" + std::string(name_of(e)) + "' is not emitted as Vulkan's SPIR-V");
}

Id VulkanEmitter::builtin(const Expr& e) {
    const std::string_view name = name_of(e);
    if (name == "printf") {
        return print(e);
    }
    Words arguments;
    for (const ExprId a : tree_.items(e.list)) {
        arguments.push_back(value(a));
    }
    token_ = e.token;
    if (name.starts_with("convert_") || name.starts_with("as_")) {
        return call_conversion(e, name, arguments[0]);
    }
    if (const VulkanHandler handler = vulkan_handler_of(name)) {
        return (this->*handler)(e, arguments);
    }
    if (const Handler handler = handler_of(name)) {
        return (this->*handler)(e, arguments);
    }
    if (name == "prefetch") {
        return 0;
    }
    widen_arguments(e, arguments);
    const bool of_halves = argument_shape(e, 0).kind == TypeKind::half && name != "bitselect";
    return of_halves ? function_of_halves(e, std::move(arguments)) : function_of_numbers(e, arguments);
}

Id VulkanEmitter::function_of_numbers(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    if (const auto made = composed(e, name, arguments)) {
        return *made;
    }
    if (const auto made = geometric(e, name, arguments)) {
        return *made;
    }
    const TypeKind kind = argument_shape(e, 0).kind;
    if (!in_library_ && !prefers_instruction(name, kind)) {
        if (const auto made = library_call(e, name, arguments)) {
            return *made;
        }
    }
    if (const auto made = instruction_of(e, name, arguments)) {
        return *made;
    }
    return refused_builtin(e, arguments);
}

/// Computes in float and rounds once. Functions that need more than that are refused.
Id VulkanEmitter::function_of_halves(const Expr& e, Words arguments) {
    unsigned lanes = 1;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        lanes = std::max(lanes, argument_shape(e, i).lanes);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Type t = argument_type(e, i);
        const Type number = types_.is_pointer(t) ? types_.element(t) : t;
        if (!types_.is(types_.scalar(number), TypeKind::half)) {
            continue;
        }
        if (types_.is_pointer(t) || is_listed(name_of(e), "fma nextafter")) {
            refuse(e.token, "the built-in function '" + std::string(name_of(e)) +
                                "' on half is not emitted as Vulkan's SPIR-V");
        }
        arguments[i] = converted(arguments[i], {TypeKind::half, lanes}, TypeKind::float_);
    }
    const bool gives_half = shape(e.type).kind == TypeKind::half;
    struct Scope {
        bool& flag;
        ~Scope() { flag = false; }
    };
    const Scope scope{halves_as_floats_};
    halves_as_floats_ = true;
    const Id made = function_of_numbers(e, arguments);
    return gives_half ? converted(made, shape(e.type), TypeKind::half) : made;
}

/// One instruction of "GLSL.std.450".
Id VulkanEmitter::glsl(Id type, std::uint32_t number, const Words& operands) {
    Words all{module_->import("GLSL.std.450"), number};
    all.insert(all.end(), operands.begin(), operands.end());
    return make(Opcode::ext_inst, type, all);
}

std::optional<Id> VulkanEmitter::instruction_of(const Expr& e, std::string_view name,
                                                const Words& arguments) {
    const auto* const row =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name; });
    if (row == std::end(rows)) {
        return std::nullopt;
    }
    const TypeKind kind = argument_shape(e, 0).kind;
    const std::uint32_t number = is_floating(kind) ? row->of_floats
                                 : is_signed(kind) ? row->of_signed
                                                   : row->of_unsigned;
    if (number == 0 || (kind == TypeKind::double_ && !row->of_doubles)) {
        return std::nullopt;
    }
    const Shape s = argument_shape(e, 0);
    if (!is_floating(kind) && opencl_c::size_of(kind) < 4 && name != "abs") {
        return narrow_instruction(s, number, arguments);
    }
    const Shape made = shape(e.type);
    return glsl(number_type(made.kind, made.lanes), number, arguments);
}

/// For integers of 8 and 16 bits, computed with 32. NVIDIA 580 returns the wrong one for the larger of a
/// known zero and another number of 16 bits.
Id VulkanEmitter::narrow_instruction(Shape s, std::uint32_t number, const Words& arguments) {
    const TypeKind wide = is_signed(s.kind) ? TypeKind::int_ : TypeKind::uint;
    Words widened;
    for (const Id argument : arguments) {
        widened.push_back(converted(argument, s, wide));
    }
    return converted(glsl(number_type(wide, s.lanes), number, widened), {wide, s.lanes}, s.kind);
}

Id VulkanEmitter::smaller(Shape s, Id a, Id b) {
    constexpr std::uint32_t u_min = 38;
    constexpr std::uint32_t s_min = 39;
    const std::uint32_t number = is_signed(s.kind) ? s_min : u_min;
    return opencl_c::size_of(s.kind) < 4 ? narrow_instruction(s, number, {a, b})
                                         : glsl(number_type(s.kind, s.lanes), number, {a, b});
}

Id VulkanEmitter::any_or_all_lanes(const Expr& e, const Words& arguments) {
    const Shape s = argument_shape(e, 0);
    if (s.lanes <= 4) {
        return any_or_all(e, arguments);
    }
    const bool any = name_of(e) == "any";
    const Id t = number_type(s.kind, 4);
    Id sum = part_of(arguments[0], 0);
    for (std::uint32_t i = 1; i < s.lanes / 4; ++i) {
        sum = make(any ? Opcode::bitwise_or : Opcode::bitwise_and, t, {sum, part_of(arguments[0], i)});
    }
    const Id truth = make(Opcode::s_less_than, bool_type(4), {sum, integer(s.kind, 0, 4)});
    return mask(make(any ? Opcode::any : Opcode::all, bool_type(), {truth}), shape(e.type));
}

/// Classifies numbers by their bits, as a driver may assume that there is no NaN.
Id VulkanEmitter::classify(const Expr& e, const Words& arguments) {
    const std::string_view name = name_of(e);
    const Shape s = argument_shape(e, 0);
    const unsigned size = opencl_c::size_of(s.kind);
    const Shape bits{unsigned_of(size), s.lanes};
    const Id t = number_type(bits.kind, bits.lanes);
    const Id truth = bool_type(s.lanes);
    const unsigned fraction = size == 2 ? 10 : size == 4 ? 23 : 52;
    const std::uint64_t all = ~std::uint64_t{0} >> (65 - 8 * size);
    const std::uint64_t infinity = all >> fraction << fraction;
    const auto fixed = [&](std::uint64_t value) { return integer(bits.kind, value, bits.lanes); };
    const auto magnitude = [&](Id x) {
        return make(Opcode::bitwise_and, t, {make(Opcode::bitcast, t, {x}), fixed(all)});
    };
    const auto is_nan = [&](Id x) {
        return make(Opcode::u_greater_than, truth, {magnitude(x), fixed(infinity)});
    };
    Id made = 0;
    if (name == "isnan") {
        made = is_nan(arguments[0]);
    } else if (name == "isinf") {
        made = make(Opcode::i_equal, truth, {magnitude(arguments[0]), fixed(infinity)});
    } else if (name == "isfinite") {
        made = make(Opcode::u_less_than, truth, {magnitude(arguments[0]), fixed(infinity)});
    } else if (name == "signbit") {
        const Id whole = make(Opcode::bitcast, t, {arguments[0]});
        made = make(Opcode::s_less_than, truth, {whole, fixed(0)});
    } else if (name == "isnormal") {
        const std::uint64_t least = std::uint64_t{1} << fraction;
        const Id above = make(Opcode::i_sub, t, {magnitude(arguments[0]), fixed(least)});
        made = make(Opcode::u_less_than, truth, {above, fixed(infinity - least)});
    } else {
        made = make(Opcode::logical_or, truth, {is_nan(arguments[0]), is_nan(arguments[1])});
        made = name == "isordered" ? make(Opcode::logical_not, truth, {made}) : made;
    }
    return mask(made, shape(e.type));
}

} // namespace ferry::emit_spirv::vulkan
