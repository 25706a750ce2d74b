// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "translate/prelude.hpp"

#include <algorithm>
#include <array>

// Calls of built-in functions. The arguments have the exact types of one overload of the prelude. Functions
// that depend on more than their arguments' types have a handler here.
namespace ferry::emit_cpp {

Emitter::Handler Emitter::handler_of(std::string_view name) {
    struct Row {
        std::string_view name;
        Handler handler;
    };
    static constexpr Row rows[] = {
        {"get_global_id", &Emitter::work_item},
        {"get_local_id", &Emitter::work_item},
        {"get_group_id", &Emitter::work_item},
        {"get_local_size", &Emitter::work_item},
        {"get_num_groups", &Emitter::work_item},
        {"get_global_size", &Emitter::work_item},
        {"get_global_offset", &Emitter::work_item},
        {"get_work_dim", &Emitter::work_item},
        {"work_group_barrier", &Emitter::barrier},
        {"sub_group_barrier", &Emitter::barrier},
        {"async_work_group_strided_copy", &Emitter::strided_copy},
        {"printf", &Emitter::print},
    };
    const auto* const row =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return r.name == name; });
    return row != std::end(rows) ? row->handler : nullptr;
}

void Emitter::builtin(const Expr& e) {
    const std::string_view name = name_of(e);
    if (const Handler handler = handler_of(name)) {
        return (this->*handler)(e);
    }
    if (name.starts_with("convert_") || name.starts_with("as_")) {
        return conversion_call(e);
    }
    check_builtin(e);
    if (types_.is_vector(e.type)) {
        static_cast<void>(type_name(e.type, e.token));
    }
    words_.insert(std::string(name));
    const std::string_view own = own_argument(name);
    put(name, "(", own);
    arguments(e, own.empty());
    put(")");
}

/// An argument that a function of the prelude has in front of those of OpenCL C.
std::string_view Emitter::own_argument(std::string_view) const {
    return "";
}

void Emitter::check_builtin(const Expr& e) const {
    const std::string_view name = name_of(e);
    const auto items = tree_.items(e.list);
    const bool is_generic = name.starts_with("vload") || name.starts_with("vstore") ||
                            name.starts_with("shuffle") || name.starts_with("async_") || name == "prefetch";
    const bool lacks_half = !is_generic && !translate::prelude_provides_for_half(dialect_, name) &&
                            std::any_of(items.begin(), items.end(), [&](ExprId a) {
                                const Type t = type_of(a);
                                return is_half(types_.scalar(types_.is_pointer(t) ? types_.element(t) : t));
                            });
    const bool multiplies_integers = name == "dot" && types_.has_integers(e.type);
    if (lacks_half || multiplies_integers || !translate::prelude_provides(dialect_, name)) {
        refuse(e.token, "the built-in function '" + std::string(name) + "' " +
                            (lacks_half            ? "on half "
                             : multiplies_integers ? "on integers "
                                                   : "") +
                            "is not supported on this device");
    }
}

/// convert_T_sat_rte() and as_T().
void Emitter::conversion_call(const Expr& e) {
    const std::string_view name = name_of(e);
    const ExprId from = argument(e, 0);
    if (name.starts_with("as_")) {
        words_.insert("fy_bits");
        put("fy_bits<", type_name(e.type, e.token), ">(");
    } else {
        static_cast<void>(type_name(e.type, e.token));
        words_.insert(std::string(name));
        put(name, "(");
    }
    operand(from, Level::assignment);
    put(")");
}

/// The scope of the memory does not matter: the prelude's barriers order all memory.
void Emitter::barrier(const Expr& e) {
    words_.insert(std::string(name_of(e)));
    put(name_of(e), "(");
    operand(argument(e, 0), Level::assignment);
    put(")");
}

/// A query of a position. With a constant dimension it is a function of its own, which compilers inline
/// faster.
void Emitter::work_item(const Expr& e) {
    const std::string_view name = name_of(e);
    const bool has_dimension = tree_.items(e.list).size() == 1;
    const std::uint64_t dimension = has_dimension ? constant_of(argument(e, 0)).value_or(3) : 3;
    std::string function(name);
    bool named = false;
    if (dimension < 3 && name != "get_global_offset") {
        constexpr std::array<std::string_view, 3> letters{"_x", "_y", "_z"};
        function = "fy_" + std::string(name.substr(4)) + std::string(letters[dimension]);
        named = true;
    }
    bool origin = false;
    if (offsets_ && (name == "get_global_id" || name == "get_global_offset" || name == "get_work_dim")) {
        origin = true;
        function = name == "get_global_offset" ? "fy_moved_by"
                   : name == "get_work_dim"    ? "fy_moved_dim"
                   : named ? "fy_moved" + function.substr(std::string_view("fy_global").size())
                           : "fy_moved_id";
    }
    words_.insert(function);
    put(function, "(", origin ? "fy_" : "");
    if (has_dimension && !named) {
        arguments(e, !origin);
    }
    put(")");
}

/// The stride is that of the global side.
void Emitter::strided_copy(const Expr& e) {
    const bool to_local = types_.element(type_of(argument(e, 0))).space() == Space::local;
    const std::string_view function = to_local ? "fy_gather_copy" : "fy_scatter_copy";
    words_.insert(std::string(function));
    const std::string_view own = own_argument(function);
    put(function, "(", own);
    arguments(e, own.empty());
    put(")");
}

} // namespace ferry::emit_cpp
