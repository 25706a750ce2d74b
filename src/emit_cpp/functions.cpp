// SPDX-License-Identifier: Apache-2.0
#include "cpp_names.hpp"
#include "emitter.hpp"
#include "opencl_c/call_graph.hpp"
#include "opencl_c/check.hpp"
#include "translate/prelude.hpp"

#include <algorithm>

// Functions and kernels. A kernel that another one calls is emitted a second time, as a function.
namespace ferry::emit_cpp {
namespace {

bool depends_on_origin(std::string_view name) {
    return name == "get_global_id" || name == "get_global_offset" || name == "get_work_dim";
}

bool reveals_order(std::string_view name) {
    return name.starts_with("atom") || name == "printf" || name == "ferry_atomic_add_float";
}

} // namespace

Emitter::Emitter(const Tree& tree, Dialect dialect, bool offsets)
    : tree_(tree), types_(tree.types), dialect_(dialect), offsets_(offsets), out_(&functions_) {}

void Emitter::refuse(std::uint32_t token, std::string message) {
    throw Refusal{token, std::move(message)};
}

std::string Emitter::Names::make(std::string_view prefix, std::string_view name) {
    std::string made = std::string(prefix) + std::string(name);
    for (unsigned n = 2; !used.insert(made).second; ++n) {
        made = std::string(prefix) + std::string(name) + "_" + std::to_string(n);
    }
    return made;
}

void Emitter::line() {
    out_->line(indent_);
}

void Emitter::close() {
    --indent_;
    line();
    put("}");
}

void Emitter::run() {
    for (const Variable& v : tree_.variables) {
        if (v.type.space() == Space::constant && v.initial != 0) {
            choose_first_members(v.initial);
        }
    }
    own_variables_.resize(tree_.functions.size());
    for (VarId id = 1; id < tree_.variables.size(); ++id) {
        own_variables_[tree_.variables[id].function].push_back(id);
    }
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        if (tree_.functions[id].kernel && tree_.functions[id].body != 0) {
            global_names_.used.insert(symbol_of(id));
        }
    }
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        if (tree_.functions[id].kernel && tree_.functions[id].body != 0) {
            for (const FunctionId called : tree_.functions[id].calls) {
                opencl_c::reach(tree_, called, called_);
            }
        }
    }
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        if (called_.contains(id) && is_function(id)) {
            out_ = &prototypes_;
            function_head(id, false);
            put(";");
            line();
            out_ = &functions_;
            function(id);
        }
        if (tree_.functions[id].kernel && tree_.functions[id].body != 0) {
            kernel(id);
        }
    }
    define_records();
}

Text Emitter::text() const {
    Text whole;
    for (const Text* part : {&forward_, &records_, &constants_, &prototypes_, &functions_}) {
        whole.append(*part);
    }
    return whole;
}

std::vector<std::string_view> Emitter::words() const {
    return {words_.begin(), words_.end()};
}

const std::string& Emitter::function_name(FunctionId id) {
    std::string& name = function_names_[id];
    if (name.empty()) {
        name = global_names_.make("f_", tree_.functions[id].name);
    }
    return name;
}

bool Emitter::calls_builtin(FunctionId id, bool (*is_kind)(std::string_view name)) const {
    const auto [known, is_new] = builtin_calls_.emplace(is_kind, std::vector<bool>());
    if (is_new) {
        known->second = opencl_c::true_of_calls(tree_, [&](FunctionId one) {
            const std::vector<std::string_view>& builtins = tree_.functions[one].builtins;
            return std::any_of(builtins.begin(), builtins.end(), is_kind);
        });
    }
    return known->second[id];
}

std::string_view Emitter::own_parameter(FunctionId id) const {
    return offsets_ && calls_builtin(id, depends_on_origin) ? "const fy_origin fy_" : "";
}

void Emitter::function_head(FunctionId id, bool with_names) {
    const Function& f = tree_.functions[id];
    out_->at(tree_.place(f.token));
    put(function_words());
    std::string parameters(own_parameter(id));
    for (const VarId p : f.parameters) {
        const Variable& v = tree_.variables[p];
        parameters +=
            (parameters.empty() ? "" : ", ") + declared(v.type, with_names ? variable_name(p) : "", v.token);
    }
    put(declared_as(types_.function(f.type).result.plain(), function_name(id) + "(" + parameters + ")", false,
                    f.token));
}

void Emitter::function(FunctionId id) {
    if (tree_.functions[id].body == 0) {
        refuse(tree_.functions[id].token,
               "the function '" + std::string(tree_.functions[id].name) + "' is called but not defined");
    }
    local_names_ = {};
    function_head(id, true);
    put(" {");
    body(id);
}

/// Compound literals live in the whole function.
void Emitter::declare_literals(FunctionId id) {
    for (const VarId v : own_variables_[id]) {
        const Variable& variable = tree_.variables[v];
        if (variable.name.empty() && !variable.parameter && variable.type.space() == Space::private_) {
            line();
            put(declared(variable.type, variable_name(v), variable.token), ";");
        }
    }
}

// C++ makes the missing result of a function undefined behaviour even if it is not used.
void Emitter::body(FunctionId id) {
    const Function& f = tree_.functions[id];
    ++indent_;
    declare_literals(id);
    block(f.body);
    if (!f.kernel && !types_.is_void(types_.function(f.type).result) && !ends_with_return(f.body)) {
        line();
        put("return {};");
    }
    close();
    line();
}

/// Kernels have C linkage, so they have no overloads. C functions for floats end in f.
std::string Emitter::symbol_of(FunctionId id) const {
    const std::string name(tree_.functions[id].name);
    const auto known = [&](std::string_view what) {
        return is_declared_outside(what) || translate::prelude_provides(dialect_, what) ||
               is_cpp_keyword(what);
    };
    const bool taken = known(name) || (name.ends_with('f') && known(name.substr(0, name.size() - 1)));
    return (taken ? "fy_k_" : "") + name;
}

void Emitter::kernel(FunctionId id) {
    const Function& f = tree_.functions[id];
    local_names_ = {};
    const auto& r = f.required_local;
    out_->at(tree_.place(f.token));
    put("extern \"C\" __global__ void ");
    if (r[0] != 0) {
        put("__launch_bounds__(", std::to_string(r[0] * r[1] * r[2]), ") ");
    }
    put(symbol_of(id), "(");
    const auto is_local = [&](VarId p) {
        const Type t = tree_.variables[p].type;
        return types_.is_pointer(t) && types_.element(t).space() == Space::local;
    };
    bool first = true;
    for (const VarId p : f.parameters) {
        const Variable& v = tree_.variables[p];
        put(first ? "" : ", ", is_local(p) ? "unsigned int fy_at_" + variable_name(p)
                                           : declared(v.type, variable_name(p), v.token));
        first = false;
    }
    put(offsets_ ? (first ? "const fy_origin fy_" : ", const fy_origin fy_") : "", ") {");
    ++indent_;
    for (const VarId p : f.parameters) {
        const Variable& v = tree_.variables[p];
        if (is_local(p)) {
            line();
            put(declared(v.type, variable_name(p), v.token), " = (", type_name(v.type, v.token),
                ")(fy_dyn + fy_at_", variable_name(p), ");");
            words_.insert("fy_dyn");
        }
    }
    if (r[0] != 0) { // Launches are checked for it, so the compiler may rely on it.
        line();
        put("FY_GROUP_IS(", std::to_string(r[0]), ", ", std::to_string(r[1]), ", ", std::to_string(r[2]),
            ");");
        words_.insert("FY_GROUP_IS");
    }
    if (offsets_) {
        words_.insert("fy_origin");
    }
    --indent_;
    body(id);
}

std::vector<translate::TranslatedKernel> Emitter::kernels() const {
    std::vector<translate::TranslatedKernel> all;
    std::vector<KernelInfo> infos = opencl_c::kernels(tree_);
    std::size_t next = 0;
    for (FunctionId id = 1; id < tree_.functions.size(); ++id) {
        if (tree_.functions[id].kernel && tree_.functions[id].body != 0) {
            translate::TranslatedKernel kernel;
            kernel.info = std::move(infos[next++]);
            kernel.symbol = symbol_of(id);
            kernel.takes_offset = offsets_ && dialect_ != Dialect::host;
            kernel.any_order = !calls_builtin(id, reveals_order);
            all.push_back(std::move(kernel));
        }
    }
    return all;
}

} // namespace ferry::emit_cpp
