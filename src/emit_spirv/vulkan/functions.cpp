// SPDX-License-Identifier: Apache-2.0
#include "opencl_c/call_graph.hpp"
#include "vulkan_emitter.hpp"

#include <algorithm>
#include <utility>

// Functions and kernels. A function is emitted once for each set of variables that its arguments point to.
namespace ferry::emit_spirv::vulkan {

VulkanEmitter::VulkanEmitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, Findings& findings,
                             std::shared_ptr<Module> module)
    : Emitter(tree, refused, std::move(module)), findings_(findings) {
    half_arithmetic_ = std::any_of(tree.exprs.begin(), tree.exprs.end(), [&](const Expr& e) {
        return !e.lvalue && types_.is(types_.scalar(e.type), TypeKind::half);
    });
}

VulkanEmitter::VulkanEmitter(const Tree& tree, std::map<FunctionId, Refusal>& refused, Findings& findings,
                             const VulkanTarget& target)
    : VulkanEmitter(tree, refused, findings,
                    std::make_shared<Module>(addressing_physical_storage_buffer64, memory_model_glsl450,
                                             execution_model_gl_compute)) {
    target_ = target;
    hides_limits_ = target.hides_limits && divides(tree);
    module_->require_version(5);
    module_->require(Capability::shader);
    module_->require(Capability::physical_storage_buffer_addresses);
    module_->require(Capability::int64);
}

bool VulkanEmitter::run() {
    const std::size_t before = refused_.size();
    try {
        declare_group_size();
        for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
            const Function& f = tree_.functions[id];
            if (f.kernel && f.body != 0 && is_allowed(id)) {
                try {
                    kernel(id);
                    kernels_.push_back(id);
                } catch (const Refusal& refusal) {
                    refused_.emplace(id, Refusal{refusal.token == 0 ? token_ : refusal.token, refusal.message,
                                                 refusal.image});
                }
            }
        }
    } catch (const Restart&) {
        note_restart();
        return false;
    }
    if (!module_->has_entry_point()) {
        module_->require(Capability::linkage);
    }
    return refused_.size() == before;
}

/// Each attempt finds at least one variable or expression that needs another form.
void VulkanEmitter::note_restart() {
    constexpr std::uint64_t most = 50'000'000;
    const std::uint64_t size = tree_.exprs.size() + tree_.stmts.size();
    findings_.repeated += size;
    if (findings_.repeated <= most) {
        return;
    }
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        if (tree_.functions[id].kernel) {
            refused_.emplace(
                id, Refusal{tree_.functions[id].token,
                            "the text of " + std::to_string(size) + " expressions and statements needed " +
                                std::to_string(findings_.repeated / size) +
                                " attempts, as pointers refer to many variables; the limit is " +
                                std::to_string(most) + " expressions and statements of all attempts",
                            false});
        }
    }
}

/// Only the labels of an enclosing switch are reached from outside of a block.
bool VulkanEmitter::has_label(StmtId id) const {
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::block) {
        const auto items = tree_.items(s.list);
        return std::any_of(items.begin(), items.end(), [&](StmtId inner) { return has_label(inner); });
    }
    return s.kind == StmtKind::case_ || s.kind == StmtKind::default_ ||
           (s.kind == StmtKind::label && has_label(s.body));
}

void VulkanEmitter::statement(StmtId id) {
    if (id != 0 && (body_.block != 0 || has_label(id))) {
        const Stmt& s = tree_.stmt(id);
        token_ = s.token != 0 ? s.token : token_;
        if (s.kind == StmtKind::goto_) {
            return go_to(s);
        }
        if (s.kind == StmtKind::break_ || s.kind == StmtKind::continue_) {
            return leave(s.kind == StmtKind::break_ ? Jumps::break_code : Jumps::continue_code, false);
        }
        if (s.kind == StmtKind::block && !jumps_.numbers.empty() && body_.block != 0 && region(id)) {
            return;
        }
        if (s.kind == StmtKind::switch_) {
            refuse_inner_cases(s.body);
            return loop_or_switch(id);
        }
        if (s.kind == StmtKind::while_ || s.kind == StmtKind::do_ || s.kind == StmtKind::for_) {
            return loop_or_switch(id);
        }
        if (s.kind == StmtKind::return_ && s.expr != 0 && types_.is_pointer(type_of(s.expr))) {
            const Id result = numbered(value(s.expr), s.token);
            return end_block(Opcode::return_value, {result});
        }
    }
    Emitter::statement(id);
}

/// Refuses labels of a switch that are within an if or a loop.
void VulkanEmitter::refuse_inner_cases(StmtId id) const {
    if (id == 0) {
        return;
    }
    const Stmt& s = tree_.stmt(id);
    if (s.kind == StmtKind::block) {
        for (const StmtId inner : tree_.items(s.list)) {
            refuse_inner_cases(inner);
        }
    } else if (s.kind == StmtKind::case_ || s.kind == StmtKind::default_ || s.kind == StmtKind::label) {
        refuse_inner_cases(s.body);
    } else {
        std::vector<StmtId> cases;
        collect_cases(id, cases);
        if (!cases.empty()) {
            refuse(tree_.stmt(cases[0]).token,
                   "a label of a switch within an if or a loop has no form in Vulkan's SPIR-V");
        }
    }
}

/// A selector in a large range becomes the first value of the range.
void VulkanEmitter::range_case(Id& selector, TypeKind kind, Id within, StmtId id, Words& targets) {
    const std::uint64_t first = tree_.stmt(id).constant;
    selector = make(Opcode::select, number_type(kind), {within, integer(kind, first), selector});
    targets.push_back(static_cast<std::uint32_t>(first));
    if (opencl_c::size_of(kind) == 8) {
        targets.push_back(static_cast<std::uint32_t>(first >> 32));
    }
    targets.push_back(body_.cases[id]);
}

Id VulkanEmitter::call(const Expr& e) {
    Words arguments;
    for (const ExprId argument : tree_.items(e.list)) {
        arguments.push_back(value(argument));
    }
    const Instance& used = obtain(e.index, arguments, e.token);
    body_.inputs.insert(used.inputs.begin(), used.inputs.end());
    launched_ = launched_ || used.launched;
    Words operands{used.id};
    for (const Id argument : arguments) {
        if (const Reference* const known = reference(argument)) {
            Reference r = *known;
            for (const Id* const index : indices(r)) {
                operands.push_back(*index);
            }
        } else {
            operands.push_back(argument);
        }
    }
    const Type result = types_.function(tree_.functions[e.index].type).result;
    return make(Opcode::function_call, type(result, e.token), operands);
}

/// Identifies an instance: the function, and for each reference all but its indices.
Words VulkanEmitter::key_of(FunctionId id, const Words& arguments) const {
    Words key{id};
    for (const Id argument : arguments) {
        const Reference* const r = reference(argument);
        key.push_back(r != nullptr ? r->root : 0);
        if (r != nullptr) {
            for (const Link& link : r->chain) {
                key.push_back(link.is_index ? 0 : link.id);
            }
            key.insert(key.end(), {r->leaf.bits(), r->array ? 1U : 0U, static_cast<std::uint32_t>(r->count),
                                   r->bytes != 0 ? 1U : 0U, r->nullable});
        } else {
            key.push_back(is_null(argument) ? 1 : 0);
        }
    }
    return key;
}

/// The instance for these arguments, which is emitted if it is new.
const Instance& VulkanEmitter::obtain(FunctionId id, const Words& arguments, std::uint32_t token) {
    const Function& f = tree_.functions[id];
    if (f.body == 0) {
        refuse(token, "the function '" + std::string(f.name) + "' is declared, but not defined");
    }
    for (const Id argument : arguments) {
        const Reference* const known = reference(argument);
        if (known != nullptr && known->storage == StorageClass::function) {
            if (known->variable == 0) {
                refuse(token,
                       "a pointer to an unnamed variable as an argument has no form in Vulkan's SPIR-V");
            }
            findings_.shared.insert(known->variable);
            throw Restart{};
        }
    }
    const Words key = key_of(id, arguments);
    auto at = instances_.find(key);
    if (at == instances_.end()) {
        if (active_.contains(id)) {
            refuse(token,
                   "the function '" + std::string(f.name) + "' calls itself, which OpenCL C does not allow");
        }
        constexpr std::size_t deepest = 128; // Each level takes some kilobytes of the stack.
        if (active_.size() == deepest) {
            refuse(token, "calls that are nested more than " + std::to_string(deepest) +
                              " deep have no form in Vulkan's SPIR-V");
        }
        active_.insert(id);
        Body saved = std::exchange(body_, Body{});
        Jumps jumps = std::exchange(jumps_, Jumps{});
        const bool launched = std::exchange(launched_, false);
        const std::uint32_t place = token_;
        Instance made = new_instance(id, arguments);
        constexpr std::uint64_t most_words = 4'000'000; // 16 MB.
        repeated_words_ += instantiated_.insert(id).second ? 0 : function_words_;
        if (repeated_words_ > most_words) {
            refuse(
                token,
                "the functions that the kernel calls, once for each combination of variables that pointers "
                "refer to, repeat more than " +
                    std::to_string(most_words) + " words of Vulkan's SPIR-V, which is the limit");
        }
        made.launched = launched_;
        made.inputs = body_.inputs;
        body_ = std::move(saved);
        jumps_ = std::move(jumps);
        launched_ = launched;
        token_ = place;
        active_.erase(id);
        at = instances_.emplace(key, std::move(made)).first;
    }
    return at->second;
}

Instance VulkanEmitter::new_instance(FunctionId id, const Words& arguments) {
    const Function& f = tree_.functions[id];
    const Type result = types_.function(f.type).result;
    Instance made;
    made.id = module_->fresh();
    Words signature{type(result, f.token)};
    Words parameters_of;
    const auto parameter = [&](Id t) {
        const Id one = module_->fresh();
        signature.push_back(t);
        append(parameters_of, Opcode::function_parameter, {t, one});
        if (long_.contains(t)) {
            long_values_[one] = t;
        }
        return one;
    };
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const Variable& v = tree_.variables[f.parameters[i]];
        Place p;
        p.type = v.type;
        p.align = static_cast<std::uint32_t>(std::max<std::uint64_t>(types_.align(v.type), 1));
        if (const Reference* const known = reference(arguments[i])) {
            Reference r = *known;
            for (Id* const index : indices(r)) {
                *index = parameter(number_type(TypeKind::uint));
            }
            p.value = keep(std::move(r));
        } else {
            p.value = parameter(type(v.type, v.token));
            p.value = types_.is_pointer(v.type) && is_null(arguments[i]) ? arguments[i] : p.value;
        }
        body_.places[f.parameters[i]] = p;
    }
    Words whole_function;
    append(whole_function, Opcode::function,
           {signature[0], made.id, 0, module_->type(Opcode::type_function, signature)});
    whole_function.insert(whole_function.end(), parameters_of.begin(), parameters_of.end());
    begin(module_->fresh());
    parameters(f);
    finish_body(f, whole_function);
    return made;
}

/// Emits the statements and adds the function to the module.
void VulkanEmitter::finish_body(const Function& f, Words& whole_function) {
    const Type result = types_.function(f.type).result;
    number_labels(f.body);
    statement(f.body);
    if (body_.block != 0) {
        if (types_.is_void(result)) {
            end_block(Opcode::return_, {});
        } else {
            end_block(Opcode::return_value, {make(Opcode::undef, type(result), {})});
        }
    }
    append(whole_function, Opcode::label, {body_.code[1]});
    whole_function.insert(whole_function.end(), body_.variables.begin(), body_.variables.end());
    whole_function.insert(whole_function.end(), body_.code.begin() + 2, body_.code.end());
    append(whole_function, Opcode::function_end, {});
    function_words_ = whole_function.size();
    module_->add_function(whole_function);
}

void VulkanEmitter::kernel(FunctionId id) {
    const Function& f = tree_.functions[id];
    body_ = {};
    jumps_ = {};
    launched_ = false;
    active_ = {id};
    instantiated_.clear();
    repeated_words_ = 0;
    reached_.clear();
    opencl_c::reach(tree_, id, reached_);
    token_ = f.token;
    std::erase_if(instances_, [](const auto& known) { return known.second.launched; });
    const Id own = module_->fresh();
    const Id nothing = module_->type(Opcode::type_void, {});
    Words whole_function;
    append(whole_function, Opcode::function,
           {nothing, own, 0, module_->type(Opcode::type_function, {nothing})});
    begin(module_->fresh());
    kernel_parameters(f);
    parameters(f);
    finish_body(f, whole_function);
    module_->entry_point(own, f.name, body_.inputs);
    const auto& size = f.required_local;
    if (size[0] != 0) {
        module_->execution_mode(own, execution_mode_local_size, {size[0], size[1], size[2]});
    } else {
        module_->execution_mode(own, execution_mode_local_size, {1, 1, 1});
    }
}

} // namespace ferry::emit_spirv::vulkan
