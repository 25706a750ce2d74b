// SPDX-License-Identifier: Apache-2.0
#include "host_emitter.hpp"
#include "opencl_c/check.hpp"

#include <algorithm>

// The functions that run groups, and the table of kernels.
namespace ferry::emit_cpp::host {
namespace {

bool needs_item(std::string_view name) {
    return (name.starts_with("get_") && !name.ends_with("sub_group_size") &&
            name != "get_sub_group_local_id") ||
           name.starts_with("async_work_group");
}

} // namespace

std::string_view HostEmitter::own_parameter(FunctionId id) const {
    return calls_builtin(id, needs_item) ? "const fy_item& fy_" : "";
}

/// A function with barriers is a part of the kernels that call it.
bool HostEmitter::is_function(FunctionId id) const {
    return !calls_builtin(id, &waits);
}

void HostEmitter::run() {
    infos_ = opencl_c::kernels(tree_);
    for (const std::string_view word : {"fy_group", "fy_item", "fy_module", "fy_parameter", "FY_ITEMS"}) {
        words_.insert(std::string(word));
    }
    Emitter::run();
    module();
}

void HostEmitter::kernel(FunctionId id) {
    const Function& f = tree_.functions[id];
    local_names_ = {};
    const bool has_objects =
        std::any_of(own_variables_[id].begin(), own_variables_[id].end(), [&](VarId one) {
            const Variable& v = tree_.variables[one];
            return v.type.space() == Space::local && !v.parameter;
        });
    out_->at(tree_.place(f.token));
    if (!is_function(id) || has_objects) {
        group_kernel(id);
    } else {
        item_kernel(id);
    }
    table(id, infos_[next_info_++]);
}

/// The head of a function that runs a group, or `fy_count` groups.
void HostEmitter::run_head(const std::string& name, bool merged) {
    put(merged ? "static void fy_run_" : "static inline void fy_group_", name,
        "([[maybe_unused]] const fy_group* fy_g, [[maybe_unused]] void* const* fy_a",
        merged ? ", fy_index fy_count) {" : ") {");
}

void HostEmitter::take_parameters(FunctionId id) {
    const Function& f = tree_.functions[id];
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
        const Variable& v = tree_.variables[f.parameters[n]];
        line();
        put("[[maybe_unused]] ", declared(v.type, variable_name(f.parameters[n]), v.token), " = *(",
            declared(v.type.plain(), "*", v.token), ")fy_a[", std::to_string(n), "];");
    }
}

void HostEmitter::run_one_by_one(const std::string& name) {
    put("static void fy_run_", name,
        "(const fy_group* fy_g, void* const* fy_a, fy_index fy_count) { fy_group fy_here = *fy_g; "
        "for (; fy_count != 0; --fy_count, ++fy_here.group[0]) fy_group_",
        name, "(&fy_here, fy_a); }");
    line();
}

/// The data that the host's backend reads of a kernel.
void HostEmitter::table(FunctionId id, const KernelInfo& info) {
    const Function& f = tree_.functions[id];
    const std::string name(f.name);
    put("static const fy_parameter fy_parameters_", name, "[] = {");
    for (std::size_t n = 0; n < f.parameters.size(); ++n) {
        const ParameterInfo& p = info.parameters[n];
        Type t = tree_.variables[f.parameters[n]].type;
        t = types_.is_pointer(t) ? types_.element(t) : t;
        const int kind = p.kind == ParameterKind::value ? 0 : p.kind == ParameterKind::buffer ? 1 : 2;
        put(n == 0 ? "" : ", ", "{\"", p.name, "\", \"", p.type_name, "\", ", std::to_string(kind), ", ",
            std::to_string(static_cast<int>(p.type)), ", sizeof(",
            types_.is_void(t) ? std::string("char") : type_name(t, f.token), "), ",
            p.space == AddressSpace::constant ? "2"
            : p.read_only                     ? "1"
                                              : "0",
            "}");
    }
    put(f.parameters.empty() ? "{}};" : "};");
    line();
    const auto& r = f.required_local;
    kernels_ += (kernels_.empty() ? "{\"" : ", {\"") + info.name + "\", fy_run_" + name + ", fy_parameters_" +
                name + ", " + std::to_string(f.parameters.size()) + ", 0, {" + std::to_string(r[0]) + ", " +
                std::to_string(r[1]) + ", " + std::to_string(r[2]) + "}}";
}

void HostEmitter::module() {
    put("static const fy_kernel fy_kernels[] = {", kernels_.empty() ? "{}" : kernels_, "};");
    line();
    // host_module.hpp has the versions.
    put("static const fy_module fy_this_module = {FY_ABI(", offsets_ ? "5" : "4", "), ",
        std::to_string(infos_.size()), ", fy_kernels};");
    line();
    put("extern \"C\" __attribute__((visibility(\"default\"))) const fy_module* FY_MODULE() { "
        "return &fy_this_module; }");
    line();
}

} // namespace ferry::emit_cpp::host
