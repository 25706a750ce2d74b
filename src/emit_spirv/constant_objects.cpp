// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"

#include <algorithm>

// Objects in constant and local memory, and constant addresses.
namespace ferry::emit_spirv {

/// Returns the object that contains a constant address, and adds the position in it to `offset`.
Id Emitter::constant_object(ExprId id, std::uint64_t& offset) {
    const Expr& e = expr(id);
    switch (e.kind) {
    case ExprKind::variable:
    case ExprKind::compound_literal:
        if (e.type.space() == Space::constant) {
            return global_place(e.index).pointer;
        }
        break;
    case ExprKind::string:
        return string_place(e).pointer;
    case ExprKind::member:
        offset += types_.record(type_of(e.a)).members[e.index].offset;
        return constant_object(e.a, offset);
    case ExprKind::convert:
    case ExprKind::address:
    case ExprKind::dereference:
        return constant_object(e.a, offset);
    case ExprKind::element:
    case ExprKind::binary: {
        const auto index = folded(e.b);
        if (index && types_.is_pointer(type_of(e.a))) {
            const std::uint64_t bytes = types_.size(types_.element(type_of(e.a))) * (*index)[0];
            offset += e.op == opencl_c::Op::subtract ? 0 - bytes : bytes;
            return constant_object(e.a, offset);
        }
        break;
    }
    default:
        break;
    }
    refuse(e.token, "this address is not a constant that can be computed for SPIR-V");
}

Id Emitter::constant_pointer(ExprId id, Type t) {
    const Expr& e = expr(id);
    const Id made_type = type(t, e.token);
    if (e.kind == ExprKind::convert && e.conversion == Conversion::from_null) {
        return null(made_type);
    }
    std::uint64_t offset = 0;
    const Id object = constant_object(id, offset);
    const auto compute = [&](Id result, Opcode opcode, Words operands) {
        operands.insert(operands.begin(), static_cast<std::uint32_t>(opcode));
        return module_->constant(Opcode::spec_constant_op, result, operands);
    };
    const Id bytes = byte_pointer(StorageClass::uniform_constant);
    Id pointer = compute(bytes, Opcode::bitcast, {object});
    if (offset != 0) {
        pointer =
            compute(bytes, Opcode::in_bounds_ptr_access_chain, {pointer, integer(TypeKind::ulong, offset)});
    }
    return made_type == bytes ? pointer : compute(made_type, Opcode::bitcast, {pointer});
}

/// The place of a variable at file scope, or of a kernel's variable in constant or local memory.
Place Emitter::global_place(VarId id) {
    const auto known = globals_.find(id);
    if (known != globals_.end()) {
        return known->second;
    }
    const Variable& v = tree_.variables[id];
    if (v.is_extern && v.initial == 0) {
        for (const VarId other : tree_.globals) {
            if (tree_.variables[other].name == v.name && tree_.variables[other].initial != 0) {
                return global_place(other);
            }
        }
        refuse(v.token, "the variable '" + std::string(v.name) + "' is declared, but not defined");
    }
    return globals_.emplace(id, new_global(id)).first->second;
}

Place Emitter::new_global(VarId id) {
    const Variable& v = tree_.variables[id];
    Place made;
    made.type = v.type;
    const bool local = v.type.space() == Space::local;
    made.storage = local ? StorageClass::workgroup : StorageClass::uniform_constant;
    made.align = static_cast<std::uint32_t>(std::max(types_.align(v.type), v.align));
    const Id t = type(v.type, v.token);
    made.pointer = module_->variable(pointer_type(made.storage, t), made.storage,
                                     local ? 0 : constant(v.initial, v.type));
    if (!local) {
        module_->decorate(made.pointer, Decoration::constant);
    }
    module_->decorate(made.pointer, Decoration::alignment, {made.align});
    if (!v.name.empty()) {
        module_->name(made.pointer, v.name);
    }
    return made;
}

Place Emitter::string_place(const Expr& x) {
    const std::string& text = tree_.strings[x.index];
    Place made;
    made.type = x.type;
    made.storage = StorageClass::uniform_constant;
    const auto [at, is_new] = strings_.emplace(text, 0);
    if (is_new) {
        at->second = module_->variable(pointer_type(made.storage, type(x.type, x.token)), made.storage,
                                       constant_string(text, types_.count(x.type), x.token));
        module_->decorate(at->second, Decoration::constant);
    }
    made.pointer = at->second;
    return made;
}

} // namespace ferry::emit_spirv
