// SPDX-License-Identifier: Apache-2.0
#include "call_graph.hpp"

#include <algorithm>

namespace ferry::opencl_c {

std::vector<FunctionId> callees_first(const Tree& tree) {
    struct Step {
        FunctionId id;
        std::size_t next;
    };
    std::vector<FunctionId> order;
    std::vector<bool> seen(tree.functions.size(), false);
    std::vector<Step> path;
    for (FunctionId root = 1; root < tree.functions.size(); ++root) {
        if (seen[root]) {
            continue;
        }
        seen[root] = true;
        path.push_back({root, 0});
        while (!path.empty()) {
            Step& step = path.back();
            const std::vector<FunctionId>& calls = tree.functions[step.id].calls;
            if (step.next == calls.size()) {
                order.push_back(step.id);
                path.pop_back();
            } else if (const FunctionId called = calls[step.next++]; !seen[called]) {
                seen[called] = true;
                path.push_back({called, 0});
            }
        }
    }
    return order;
}

void reach(const Tree& tree, FunctionId id, std::set<FunctionId>& all) {
    std::vector<FunctionId> left{id};
    while (!left.empty()) {
        const FunctionId next = left.back();
        left.pop_back();
        if (all.insert(next).second) {
            const std::vector<FunctionId>& calls = tree.functions[next].calls;
            left.insert(left.end(), calls.begin(), calls.end());
        }
    }
}

std::vector<bool> true_of_calls(const Tree& tree, const std::function<bool(FunctionId)>& own) {
    std::vector<bool> all(tree.functions.size(), false);
    for (const FunctionId id : callees_first(tree)) {
        const std::vector<FunctionId>& calls = tree.functions[id].calls;
        all[id] = own(id) ||
                  std::any_of(calls.begin(), calls.end(), [&](FunctionId called) { return all[called]; });
    }
    return all;
}

} // namespace ferry::opencl_c
