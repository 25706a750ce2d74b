// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "opencl_c/call_graph.hpp"

#include <algorithm>
#include <utility>

// Functions, kernels and their variables. If a kernel calls another one, the latter is emitted a second time,
// because an entry point cannot be called.
namespace ferry::emit_spirv {

Emitter::Emitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, std::shared_ptr<Module> module)
    : tree_(tree), types_(tree.types), refused_(refused), module_(std::move(module)) {}

Emitter::Emitter(const Tree& tree, std::map<FunctionId, Refusal>& refused)
    : Emitter(tree, refused,
              std::make_shared<Module>(addressing_physical64, memory_model_opencl, execution_model_kernel)) {
    module_->require(Capability::addresses);
    module_->require(Capability::kernel);
    module_->require(Capability::int64);
    half_arithmetic_ = std::any_of(tree.exprs.begin(), tree.exprs.end(), [&](const Expr& e) {
        return !e.lvalue && types_.is(types_.scalar(e.type), TypeKind::half);
    });
}

bool Emitter::is_allowed(FunctionId id) const {
    std::set<FunctionId> all;
    opencl_c::reach(tree_, id, all);
    return std::none_of(all.begin(), all.end(), [&](FunctionId f) { return refused_.contains(f); });
}

bool Emitter::run() {
    std::set<FunctionId> called;
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        const Function& f = tree_.functions[id];
        if (f.kernel && f.body != 0 && is_allowed(id)) {
            kernels_.push_back(id);
            for (const FunctionId other : f.calls) {
                opencl_c::reach(tree_, other, called);
            }
        }
    }
    const std::size_t before = refused_.size();
    const auto attempt = [&](FunctionId id, bool entry) {
        try {
            function(id, entry);
        } catch (const Refusal& refusal) {
            refused_.emplace(id, refusal);
        }
    };
    for (const FunctionId id : called) {
        attempt(id, false);
    }
    for (const FunctionId id : kernels_) {
        attempt(id, true);
    }
    if (refused_.size() != before) {
        return false;
    }
    for (const FunctionId id : kernels_) {
        entry_point(id);
    }
    if (!module_->has_entry_point()) {
        module_->require(Capability::linkage);
    }
    return true;
}

void Emitter::entry_point(FunctionId id) {
    const Function& f = tree_.functions[id];
    std::set<FunctionId> all;
    std::set<Id> interface = inputs_[id];
    for (const FunctionId called : f.calls) {
        opencl_c::reach(tree_, called, all);
    }
    for (const FunctionId called : all) {
        interface.insert(inputs_[called].begin(), inputs_[called].end());
    }
    const Id entry = entry_ids_[id];
    module_->entry_point(entry, f.name, interface);
    if (f.required_local[0] != 0) {
        module_->execution_mode(entry, execution_mode_local_size,
                                {f.required_local[0], f.required_local[1], f.required_local[2]});
    }
    if (!tree_.contracts) {
        module_->execution_mode(entry, execution_mode_contraction_off);
    }
}

Id Emitter::function_id(FunctionId id) {
    const auto [at, is_new] = function_ids_.emplace(id, 0);
    if (is_new) {
        at->second = module_->fresh();
    }
    return at->second;
}

void Emitter::function(FunctionId id, bool entry) {
    const Function& f = tree_.functions[id];
    body_ = {};
    const Type result = types_.function(f.type).result;
    Words signature{type(result, f.token)};
    for (const VarId p : f.parameters) {
        const Variable& v = tree_.variables[p];
        const Id t = type(v.type, v.token);
        signature.push_back(entry && types_.is_record(v.type) ? pointer_type(StorageClass::function, t) : t);
    }
    const Id own = entry ? module_->fresh() : function_id(id);
    if (entry) {
        entry_ids_[id] = own;
    }
    Words whole;
    append(whole, Opcode::function, {signature[0], own, 0, module_->type(Opcode::type_function, signature)});
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const VarId p = f.parameters[i];
        const Variable& v = tree_.variables[p];
        const Id parameter = module_->fresh();
        append(whole, Opcode::function_parameter, {signature[i + 1], parameter});
        if (entry) {
            module_->name(parameter, v.name);
        }
        Place made;
        made.type = v.type;
        made.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(v.type), 1));
        made.value = parameter;
        if (entry && types_.is_record(v.type)) {
            module_->decorate(parameter, Decoration::func_param_attr, {param_by_val});
            module_->decorate(parameter, Decoration::alignment, {made.align});
            made.pointer = parameter;
        } else if (types_.is_pointer(v.type) && v.type.is_restrict()) {
            module_->decorate(parameter, Decoration::func_param_attr, {param_no_alias});
        }
        body_.places[p] = made;
    }
    begin(module_->fresh());
    parameters(f);
    statement(f.body);
    if (body_.block != 0) {
        if (types_.is_void(result)) {
            end_block(Opcode::return_, {});
        } else {
            end_block(Opcode::return_value, {make(Opcode::undef, signature[0], {})});
        }
    }
    append(whole, Opcode::label, {body_.code[1]});
    whole.insert(whole.end(), body_.variables.begin(), body_.variables.end());
    whole.insert(whole.end(), body_.code.begin() + 2, body_.code.end());
    append(whole, Opcode::function_end, {});
    module_->add_function(whole);
    inputs_[id].insert(body_.inputs.begin(), body_.inputs.end());
}

/// Parameters that need an address get a variable. All structs do, because a pointer to an array in a struct
/// may be used to write to it, and work-items may share a kernel's parameter.
void Emitter::parameters(const Function& f) {
    for (const VarId id : f.parameters) {
        const Variable& v = tree_.variables[id];
        if (!v.written && !v.address_taken && !types_.is_record(v.type)) {
            continue;
        }
        const Place given = body_.places[id];
        const Place own = declare(id);
        if (given.pointer != 0 && types_.size(v.type) != 0) {
            act(Opcode::copy_memory, {own.pointer, given.pointer, memory_aligned, given.align});
        } else if (given.pointer == 0) {
            store(own, given.value);
        }
    }
}

Place Emitter::declare(VarId id) {
    const Variable& v = tree_.variables[id];
    Place made;
    made.type = v.type;
    made.align = static_cast<std::uint32_t>(std::max(types_.align(v.type), v.align));
    made.is_volatile = v.type.is_volatile();
    const auto known = body_.places.find(id);
    if (known != body_.places.end() && known->second.storage == StorageClass::function &&
        known->second.value == 0) {
        return known->second; // A declaration in a loop is one object.
    }
    made.pointer = new_variable(type(v.type, v.token), std::max<std::uint32_t>(made.align, 1));
    if (!v.name.empty()) {
        module_->name(made.pointer, v.name);
    }
    return body_.places[id] = made;
}

const Place& Emitter::place_of(VarId id, std::uint32_t token) {
    const auto known = body_.places.find(id);
    if (known != body_.places.end()) {
        return known->second;
    }
    const Variable& v = tree_.variables[id];
    if (types_.is(v.type, TypeKind::sampler)) {
        refuse_image(token);
    }
    if (v.function != 0 && v.type.space() == Space::private_) { // A goto may precede the declaration.
        return declare(id), body_.places[id];
    }
    return body_.places[id] = global_place(id);
}

} // namespace ferry::emit_spirv
