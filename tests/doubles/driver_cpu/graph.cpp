// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <algorithm>

namespace ferry_double {

std::size_t Capture::record(const Queue* queue) {
    const std::lock_guard lock(mutex_);
    recorded_.push_back(clocks_[queue]);
    return recorded_.size() - 1;
}

void Capture::wait(const Queue* queue, std::size_t recorded) {
    const std::lock_guard lock(mutex_);
    Clock& clock = clocks_[queue];
    for (const auto& [other, upto] : recorded_[recorded]) {
        clock[other] = std::max(clock[other], upto);
    }
}

NodeState* Capture::newest(const Queue* queue) {
    const std::lock_guard lock(mutex_);
    const std::size_t place = clocks_[queue][queue];
    return place != 0 ? nodes_[place - 1].get() : nullptr;
}

std::shared_ptr<GraphState> Capture::end() {
    const std::lock_guard lock(mutex_);
    for (const auto& [queue, clock] : clocks_) {
        const auto newest = clock.find(queue);
        if (newest != clock.end() && clocks_[origin_][queue] < newest->second) {
            return nullptr;
        }
    }
    auto graph = std::make_shared<GraphState>();
    graph->nodes = nodes_;
    return graph;
}

} // namespace ferry_double
