// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <utility>

// Variables, constants and their initialisers.
namespace ferry::emit_cpp {

const std::string& Emitter::variable_name(VarId id) {
    const auto known = variable_names_.find(id);
    if (known != variable_names_.end()) {
        return known->second;
    }
    const Variable& v = tree_.variables[id];
    const bool at_file_scope = v.function == 0 || v.type.space() == Space::constant;
    if (at_file_scope && !v.parameter) {
        variable_names_[id] = global_names_.make("c_", v.name);
        define_constant(id);
        return variable_names_[id];
    }
    return variable_names_[id] = local_names_.make("v_", v.name);
}

/// Writes a constant after the constants that its initialiser names.
void Emitter::define_constant(VarId id) {
    const Variable& v = tree_.variables[id];
    if (v.type.space() != Space::constant) {
        refuse(v.token, "a variable outside of functions must be __constant");
    }
    if (types_.is(v.type, TypeKind::sampler)) {
        static_cast<void>(type_name(v.type, v.token));
    }
    Text own;
    Text* const before = std::exchange(out_, &own);
    own.at(tree_.place(v.token));
    const bool aligned = v.align > types_.align(v.type);
    put(aligned ? "alignas(" + std::to_string(v.align) + ") " : std::string(), constant_words(),
        declared_as(v.type, variable_names_[id], true, v.token));
    if (v.initial != 0) {
        if (!is_plain(v.initial)) {
            refuse(v.token,
                   "the constants of a union initialise different members, which this device does not "
                   "support");
        }
        put(" = ");
        initialise(v.initial, v.type);
    }
    put(";");
    line();
    out_ = before;
    constants_.append(own);
}

/// A union begins with the member that its constants initialise.
void Emitter::choose_first_members(ExprId id) {
    const Expr& e = expr(id);
    if (e.kind != ExprKind::initialiser) {
        return;
    }
    if (types_.is_record(e.type) && types_.record(e.type).is_union) {
        record_states_[e.type.index()].first = e.index;
    }
    for (const ExprId item : tree_.items(e.list)) {
        choose_first_members(item);
    }
}

/// Whether C++ has a list in braces for the initialiser: it does for the first member of a union only.
bool Emitter::is_plain(ExprId id) const {
    const Expr& e = expr(id);
    if (e.kind != ExprKind::initialiser) {
        return true;
    }
    if (types_.is_record(e.type) && types_.record(e.type).is_union && e.index != first_member(e.type)) {
        return false;
    }
    for (const ExprId item : tree_.items(e.list)) {
        if (item != 0 && !is_plain(item)) {
            return false;
        }
    }
    return true;
}

void Emitter::initialise(ExprId id, Type t) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::string && types_.is_array(t)) {
        const std::string& text = tree_.strings[e.index];
        put("{");
        for (std::size_t i = 0; i < text.size() && i < types_.count(t); ++i) {
            put(i == 0 ? "" : ", ", std::to_string(static_cast<int>(static_cast<signed char>(text[i]))));
        }
        return put("}");
    }
    if (e.kind != ExprKind::initialiser) {
        return operand(id, Level::assignment);
    }
    const bool array = types_.is_array(t);
    std::uint32_t index = 0;
    put("{");
    for (const ExprId item : tree_.items(e.list)) {
        put(index == 0 ? "" : ", ");
        if (item == 0) {
            put("{}");
        } else {
            const bool is_union = !array && types_.record(t).is_union;
            initialise(item,
                       array ? types_.element(t) : types_.record(t).members[is_union ? e.index : index].type);
        }
        ++index;
    }
    put("}");
}

/// Writes assignments to the parts of an object, each with `end` after it.
void Emitter::assign_parts(const std::string& to, ExprId id, Type t, std::string_view end) {
    const Expr& e = expr(id);
    const bool array = types_.is_array(t);
    if (!array && is_plain(id)) {
        put(to, " = ");
        if (e.kind == ExprKind::initialiser) {
            put(type_name(t, e.token));
        }
        initialise(id, t);
        return put(end);
    }
    if (e.kind == ExprKind::string) {
        const std::string& text = tree_.strings[e.index];
        for (std::size_t i = 0; i < types_.count(t); ++i) {
            const int value = i < text.size() ? static_cast<signed char>(text[i]) : 0;
            put(to, "[", std::to_string(i), "] = ", std::to_string(value), end);
        }
        return;
    }
    if (e.kind != ExprKind::initialiser) {
        refuse(e.token, "this initialiser has no form in C++");
    }
    put("fy_zero(", to, ")", end);
    words_.insert("fy_zero");
    std::uint32_t index = 0;
    for (const ExprId item : tree_.items(e.list)) {
        if (item != 0 && array) {
            assign_parts(to + "[" + std::to_string(index) + "]", item, types_.element(t), end);
        } else if (item != 0) {
            const std::uint32_t member = types_.record(t).is_union ? e.index : index;
            assign_parts(to + "." + member_name(t, member, e.token), item,
                         types_.record(t).members[member].type, end);
        }
        ++index;
    }
}

/// Writes the declaration of a variable in a function, with its semicolon.
void Emitter::declare(VarId id) {
    const Variable& v = tree_.variables[id];
    if (v.type.space() == Space::constant || types_.is(v.type, TypeKind::sampler)) {
        return; // It is written at file scope when it is used.
    }
    if (v.type.space() == Space::local) {
        put("__shared__ ");
    } else if (v.is_static) {
        refuse(v.token, "a static variable must be __constant");
    }
    if (v.align > types_.align(v.type)) {
        put("alignas(", std::to_string(v.align), ") ");
    }
    put(declared(v.type, variable_name(id), v.token));
    if (v.initial == 0) {
        return put(";");
    }
    if (is_plain(v.initial) && !splits_) {
        put(" = ");
        initialise(v.initial, v.type);
        return put(";");
    }
    put("; ");
    assign_parts(variable_name(id), v.initial, v.type, "; ");
}

} // namespace ferry::emit_cpp
