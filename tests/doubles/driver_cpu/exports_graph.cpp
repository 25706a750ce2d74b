// SPDX-License-Identifier: Apache-2.0
// Stream capture and graphs. A launched graph is one command of its stream, which executes the captured
// commands in order.
#include "exports.hpp"
#include "module.hpp"

#include <algorithm>

namespace ferry_double {

namespace {

constexpr int relaxed = 2;
constexpr int status_none = 0;
constexpr int status_active = 1;

} // namespace

Result Rows::capture_begin(Stream stream, CaptureMode mode) {
    FERRY_DOUBLE_ENTER(capture_begin)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr || stream == nullptr) {
        return invalid_handle;
    }
    if (mode < 0 || mode > relaxed || queue->capture() != nullptr) {
        return mode < 0 || mode > relaxed ? invalid_value : illegal_state;
    }
    queue->set_capture(std::make_shared<Capture>(queue.get()));
    return success;
}

Result Rows::capture_end(Stream stream, Graph* graph) {
    FERRY_DOUBLE_ENTER(capture_end)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    const std::shared_ptr<Capture> capture = queue != nullptr ? queue->capture() : nullptr;
    if (capture == nullptr || capture->origin() != queue.get()) {
        return queue == nullptr ? invalid_handle : illegal_state;
    }
    for (const std::shared_ptr<Queue>& other : world().queues.all()) {
        if (other->capture() == capture) {
            other->set_capture(nullptr);
        }
    }
    std::shared_ptr<GraphState> made = capture->end();
    *graph = nullptr;
    if (made == nullptr) {
        return capture_unjoined;
    }
    *graph = world().graphs.add(std::move(made));
    return success;
}

Result Rows::capture_info(Stream stream, CaptureStatus* status, CaptureNumber* number, Graph* graph,
                          const GraphNode** nodes, std::size_t* count) {
    FERRY_DOUBLE_ENTER(capture_info)
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (queue == nullptr || status == nullptr) {
        return invalid_handle;
    }
    const std::shared_ptr<Capture> capture = queue->capture();
    *status = capture != nullptr ? status_active : status_none;
    if (capture != nullptr) {
        static thread_local GraphNode newest = nullptr;
        newest = capture->newest(queue.get());
        *number = 1;
        *graph = nullptr;
        *nodes = &newest;
        *count = newest != nullptr ? 1 : 0;
    }
    return success;
}

Result Rows::graph_instantiate(GraphExec* made, Graph graph, unsigned long long flags) {
    FERRY_DOUBLE_ENTER(graph_instantiate)
    const std::shared_ptr<GraphState> state = world().graphs.find(graph);
    if (state == nullptr || flags != 0) {
        return invalid_value;
    }
    auto exec = std::make_shared<GraphExecState>();
    exec->nodes = std::make_shared<const Nodes>(state->nodes);
    for (const std::shared_ptr<NodeState>& node : state->nodes) {
        exec->handles.push_back(node.get());
    }
    *made = world().graph_execs.add(std::move(exec));
    return success;
}

Result Rows::graph_launch(GraphExec graph, Stream stream) {
    FERRY_DOUBLE_ENTER(graph_launch)
    const std::shared_ptr<GraphExecState> exec = world().graph_execs.find(graph);
    const std::shared_ptr<Queue> queue = find_queue(stream);
    if (exec == nullptr || queue == nullptr) {
        return invalid_handle;
    }
    std::shared_ptr<const Nodes> nodes;
    {
        const std::lock_guard lock(exec->mutex);
        nodes = exec->nodes;
    }
    Later fault;
    for (const std::shared_ptr<NodeState>& node : *nodes) {
        if (node->function != nullptr && fault.code == 0) {
            fault = kernel_fault(node->function->name);
        }
    }
    queue->push([&](Command& command) {
        command.later = fault.code;
        command.later_once = fault.once;
        command.set([nodes] {
            int code = 0;
            for (std::size_t i = 0; i < nodes->size() && code == 0; ++i) {
                code = (*nodes)[i]->command.run();
            }
            return code;
        });
    });
    return success;
}

Result Rows::graph_set_kernel(GraphExec graph, GraphNode node, const KernelNode* parameters) {
    FERRY_DOUBLE_ENTER(graph_set_kernel)
    const std::shared_ptr<GraphExecState> exec = world().graph_execs.find(graph);
    if (exec == nullptr || parameters == nullptr) {
        return invalid_value;
    }
    const std::lock_guard lock(exec->mutex);
    const auto found = std::find(exec->handles.begin(), exec->handles.end(), node);
    const auto place = static_cast<std::size_t>(found - exec->handles.begin());
    if (found == exec->handles.end() || (*exec->nodes)[place]->function == nullptr) {
        return invalid_value;
    }
    const KernelNode& p = *parameters;
    auto changed = std::make_shared<NodeState>();
    const int code = prepare_launch({p.function,
                                     {p.grid[0], p.grid[1], p.grid[2]},
                                     {p.block[0], p.block[1], p.block[2]},
                                     p.shared_bytes,
                                     nullptr,
                                     p.parameters,
                                     p.extra},
                                    *changed);
    if (code != success) {
        return code_for(code);
    }
    auto nodes = std::make_shared<Nodes>(*exec->nodes);
    (*nodes)[place] = std::move(changed);
    exec->nodes = std::move(nodes);
    return success;
}

Result Rows::graph_destroy(Graph graph) {
    FERRY_DOUBLE_COUNT(graph_destroy)
    return world().graphs.remove(graph) != nullptr ? success : invalid_value;
}

// Enqueued launches are still executed.
Result Rows::graph_exec_destroy(GraphExec graph) {
    FERRY_DOUBLE_COUNT(graph_exec_destroy)
    return world().graph_execs.remove(graph) != nullptr ? success : invalid_value;
}

} // namespace ferry_double
