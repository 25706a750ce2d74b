// SPDX-License-Identifier: Apache-2.0
#include "private_memory.hpp"

#include "call_graph.hpp"

#include <algorithm>
#include <limits>

namespace ferry::opencl_c {
namespace {

class Sum {
public:
    explicit Sum(const Tree& tree) : tree_(tree), functions_(tree.functions.size()) {
        for (VarId id = 1; id < tree.variables.size(); ++id) {
            add_variable(id);
        }
        for (FunctionId id = 1; id < tree.functions.size(); ++id) {
            if (tree.functions[id].body != 0) {
                defined_.push_back(id);
            }
        }
        std::sort(defined_.begin(), defined_.end(), [&](FunctionId a, FunctionId b) {
            return tree.functions[a].token < tree.functions[b].token;
        });
        for (const Expr& expr : tree.exprs) {
            if (expr.kind == ExprKind::call) {
                add_call(expr);
            }
        }
        add_calls();
    }

    /// Of a function with its calls. Recursion, which is an error elsewhere, counts once.
    const PrivateMemory& of(FunctionId id) const { return functions_[id].whole; }

private:
    struct Counted {
        PrivateMemory whole;
        std::vector<FunctionId> calls; ///< One for each place.
    };

    void add_calls() {
        std::vector<bool> done(functions_.size(), false);
        for (const FunctionId id : callees_first(tree_)) {
            for (const FunctionId callee : functions_[id].calls) {
                if (done[callee]) {
                    add(functions_[id].whole, functions_[callee].whole);
                }
            }
            done[id] = true;
        }
    }

    void add(PrivateMemory& to, const PrivateMemory& more) const {
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        to.bytes = more.bytes > most - to.bytes ? most : to.bytes + more.bytes;
        if (more.largest != 0 && (to.largest == 0 || bytes_of(more.largest) > bytes_of(to.largest))) {
            to.largest = more.largest;
        }
    }

    std::uint64_t bytes_of(VarId id) const { return tree_.types.size(tree_.variables[id].type); }

    void add_variable(VarId id) {
        const Variable& variable = tree_.variables[id];
        const bool large = tree_.types.is_array(variable.type) || tree_.types.is_record(variable.type);
        if (large && variable.function != 0 && !variable.parameter && !variable.is_static &&
            !variable.is_extern && variable.type.space() == Space::private_) {
            add(functions_[variable.function].whole, {{}, bytes_of(id), id});
        }
    }

    /// The function that contains the call is the last one that begins before it.
    void add_call(const Expr& call) {
        const auto after = std::upper_bound(
            defined_.begin(), defined_.end(), call.token,
            [&](std::uint32_t token, FunctionId id) { return token < tree_.functions[id].token; });
        if (after != defined_.begin()) {
            functions_[*(after - 1)].calls.push_back(call.index);
        }
    }

    const Tree& tree_;
    std::vector<Counted> functions_;
    std::vector<FunctionId> defined_; ///< In the order of the text.
};

} // namespace

std::vector<PrivateMemory> private_memory(const Tree& tree) {
    const Sum sum(tree);
    std::vector<PrivateMemory> all;
    for (FunctionId id = 1; id < tree.functions.size(); ++id) {
        if (tree.functions[id].kernel && tree.functions[id].body != 0) {
            PrivateMemory whole = sum.of(id);
            whole.kernel = tree.functions[id].name;
            if (whole.bytes != 0) {
                all.push_back(whole);
            }
        }
    }
    return all;
}

} // namespace ferry::opencl_c
