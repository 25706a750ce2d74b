// SPDX-License-Identifier: Apache-2.0
#include "emit_cpp/visit.hpp"
#include "guard.hpp"
#include "host_emitter.hpp"
#include "opencl_c/call_graph.hpp"
#include "order.hpp"

#include <algorithm>

// Kernels without barriers: a function for one work-item, and the loop that calls it.
namespace ferry::emit_cpp::host {
namespace {

bool asks_for_group(std::string_view name) {
    return name == "get_local_id" || name == "get_group_id" || name == "get_sub_group_id";
}

} // namespace

/// Whether the function depends on the group's position in x, or on its size.
bool HostEmitter::knows_group(FunctionId id) const {
    if (knows_group_.empty()) {
        knows_group_ = opencl_c::true_of_calls(tree_, [&](FunctionId one) { return asks_for_group_in(one); });
    }
    return knows_group_[id];
}

bool HostEmitter::asks_for_group_in(FunctionId id) const {
    bool knows = false;
    visit_statement(tree_, tree_.functions[id].body, [&](const Expr& e) {
        if (e.kind != ExprKind::builtin) {
            return;
        }
        const std::string_view name = name_of(e);
        const auto items = tree_.items(e.list);
        const auto dimension = items.size() == 1 ? constant_of(items[0]) : std::nullopt;
        const bool across = dimension && *dimension != 0;
        knows = knows || (asks_for_group(name) && !across) || name == "get_num_sub_groups" ||
                name.starts_with("async_work_group");
    });
    return knows;
}

bool HostEmitter::groups_may_merge(FunctionId id) const {
    const Function& f = tree_.functions[id];
    return !knows_group(id) && std::none_of(f.parameters.begin(), f.parameters.end(), [&](VarId p) {
        const Type t = tree_.variables[p].type;
        return types_.is_pointer(t) && types_.element(t).space() == Space::local;
    });
}

void HostEmitter::item_function(FunctionId id, std::string_view head) {
    put("static inline __attribute__((always_inline)) ", head, tree_.functions[id].name,
        "(const fy_item& fy_");
    parameters(id);
    put(") { static_cast<void>(fy_);");
}

/// The parameters of the kernel, after others.
void HostEmitter::parameters(FunctionId id) {
    for (const VarId p : tree_.functions[id].parameters) {
        const Variable& v = tree_.variables[p];
        put(", ", declared(v.type, variable_name(p), v.token));
    }
}

void HostEmitter::give_parameters(FunctionId id) {
    for (const VarId p : tree_.functions[id].parameters) {
        put(", ", variable_name(p));
    }
}

void HostEmitter::call_item(std::string_view function, FunctionId id) {
    put(function, tree_.functions[id].name, "(fy_");
    give_parameters(id);
    put(");");
}

bool HostEmitter::may_vectorise(FunctionId id) const {
    Order order(tree_, [](VarId) { return false; });
    order.add_statement(tree_.functions[id].body);
    return order.is_free();
}

void HostEmitter::item_kernel(FunctionId id) {
    const std::string name(tree_.functions[id].name);
    item_function(id, "void fy_item_");
    body(id);
    const std::optional<Guard> guard = find_guard(tree_, id);
    if (guard) {
        guarded_functions(id, *guard);
    }
    const bool merged = groups_may_merge(id);
    run_head(name, merged);
    ++indent_;
    take_parameters(id);
    if (!merged) {
        line();
        put("[[maybe_unused]] constexpr fy_index fy_count = 1;");
    }
    line();
    if (guard) {
        guarded_items(id, guard->interval);
    } else {
        put(may_vectorise(id) ? "FY_ITEMS " : "FY_ITEMS_IN_ORDER ");
        call_item("fy_item_", id);
        put(" FY_ITEMS_END");
    }
    close();
    line();
    if (!merged) {
        run_one_by_one(name);
    }
}

/// The functions for a kernel that begins with a test: the test, the rest, and the same for parts of a row.
void HostEmitter::guarded_functions(FunctionId id, const Guard& guard) {
    const auto statements = [&](const std::vector<StmtId>& all) {
        ++indent_;
        for (const StmtId s : all) {
            statement(s);
        }
        --indent_;
    };
    item_function(id, "bool fy_stays_");
    statements(guard.before);
    line();
    put("return ", guard.leaves ? "!(" : "bool(");
    condition(guard.condition);
    put("); }");
    line();
    item_function(id, "void fy_rest_");
    const bool before = std::exchange(splits_, is_jumped_into(tree_.functions[id].body));
    declare_literals(id);
    statements(guard.before);
    statements(guard.rest);
    splits_ = before;
    put(" }");
    line();
    row_function(id, guard.interval ? "inline bool fy_one_" : "bool fy_one_");
    put(" FY_ONE(fy_low) return ");
    call_item("fy_stays_", id);
    put(" }");
    line();
    some_function(id, "fy_some_", "fy_rest_");
    if (!guard.interval) {
        row_function(id, "__attribute__((noinline)) bool fy_all_");
        put(" int fy_left = 0; FY_SOME fy_left += int(!");
        put("fy_stays_", tree_.functions[id].name, "(fy_");
        give_parameters(id);
        put(")); FY_SOME_END return fy_left == 0; }");
        line();
        some_function(id, "fy_each_", "fy_item_");
    }
    for (const char* word : {"FY_ONE", "FY_SOME", "FY_UPTO"}) {
        words_.insert(word);
    }
}

void HostEmitter::some_function(FunctionId id, const std::string& head, std::string_view of_item) {
    row_function(id, "__attribute__((noinline)) void " + head);
    put(may_vectorise(id) ? " FY_SOME " : " FY_SOME_IN_ORDER ");
    call_item(of_item, id);
    put(" FY_SOME_END }");
    line();
}

/// For a part of a row of work-items.
void HostEmitter::row_function(FunctionId id, const std::string& head) {
    put("static ", head, tree_.functions[id].name,
        "(const fy_group* fy_g, int fy_i1, int fy_i2, int fy_low, [[maybe_unused]] int fy_high");
    parameters(id);
    put(") {");
}

void HostEmitter::call_row(FunctionId id, std::string_view function, std::string_view low,
                           std::string_view high) {
    put(function, tree_.functions[id].name, "(fy_g, fy_i1, fy_i2, ", low, ", ", high);
    give_parameters(id);
    put(")");
}

void HostEmitter::guarded_items(FunctionId id, bool interval) {
    put("const int fy_n0 = int(fy_g->local[0] * fy_count);");
    line();
    put("FY_UPTO(fy_i2, 0, int(fy_g->local[2])) FY_UPTO(fy_i1, 0, int(fy_g->local[1])) {");
    ++indent_;
    line();
    put("int fy_low = 0, fy_high = fy_n0;");
    line();
    put("while (fy_low < fy_high && !");
    call_row(id, "fy_one_", "fy_low", "0");
    put(") ++fy_low;");
    line();
    put("while (fy_low < fy_high && !");
    call_row(id, "fy_one_", "fy_high - 1", "0");
    put(") --fy_high;");
    line();
    put("if (");
    if (interval) {
        put("fy_low < fy_high");
    } else {
        call_row(id, "fy_all_", "fy_low", "fy_high");
    }
    put(") ");
    call_row(id, "fy_some_", "fy_low", "fy_high");
    put(";");
    if (!interval) {
        put(" else ");
        call_row(id, "fy_each_", "fy_low", "fy_high");
        put(";");
    }
    close();
}

} // namespace ferry::emit_cpp::host
