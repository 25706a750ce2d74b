// SPDX-License-Identifier: Apache-2.0
#include "host_emitter.hpp"

#include <algorithm>
#include <array>

// Divisions, which must not trap on a processor, and built-in functions that need the work-item.
namespace ferry::emit_cpp::host {

/// "kernel.cl:3:5", as a string literal.
std::string HostEmitter::place_text(std::uint32_t token) const {
    const translate::Position at = tree_.place(token);
    std::string text = "\"";
    for (const char c : (*tree_.files)[at.file].name) {
        text += c == '"' || c == '\\' ? "\\" : "";
        text += c;
    }
    return text + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + "\"";
}

void HostEmitter::quotient(const Expr& e) {
    const auto known = constant_of(e.b);
    if (!types_.is_vector(e.type) && known && *known != 0) {
        return Emitter::quotient(e);
    }
    const bool divides = e.op == Op::divide;
    if (types_.is_vector(e.type)) {
        put(divides ? "fy_quotients(" : "fy_remainders(");
    } else {
        put(divides ? "fy_quotient<" : "fy_remainder<", type_name(e.type, e.token), ">(");
    }
    operand(e.a, Level::assignment);
    put(", ");
    divisor(e, e.b);
    put(")");
}

void HostEmitter::compound_quotient(const Expr& e) {
    const auto known = constant_of(e.b);
    const Type own = type_of(e.a);
    if (known && *known != 0) {
        return plain_compound(e);
    }
    if (types_.is_vector(own)) {
        words_.insert(std::string(spelling(e.op)));
        place(e.a);
        put(" ", spelling(e.op), "= ");
        return divisor(e, e.b);
    }
    const std::string computed = type_name(Type(e.index >> 8), e.token);
    put("[&](", declared(own, "*fy_x", e.token), ") { return *fy_x = ", type_name(own, e.token), "(",
        e.op == Op::divide ? "fy_quotient<" : "fy_remainder<", computed, ">(", computed, "(*fy_x), ");
    divisor(e, e.b);
    put(")); }(&");
    place(e.a);
    put(")");
}

void HostEmitter::divisor(const Expr& at, ExprId id) {
    words_.insert("FY_BY");
    put("FY_BY(", place_text(at.token), ") ->* ");
    operand(id, Level::postfix);
}

std::string_view HostEmitter::own_argument(std::string_view builtin) const {
    constexpr std::array<std::string_view, 5> names{"async_work_group_copy", "fy_gather_copy",
                                                    "fy_scatter_copy", "get_num_sub_groups",
                                                    "get_sub_group_id"};
    return std::find(names.begin(), names.end(), builtin) != names.end() ? "fy_" : "";
}

void HostEmitter::work_item(const Expr& e) {
    words_.insert(std::string(name_of(e)));
    put(name_of(e), "(fy_");
    arguments(e, false);
    put(")");
}

} // namespace ferry::emit_cpp::host
