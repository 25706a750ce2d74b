// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stream.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry_double {

struct FunctionState;
struct LaunchCall;

/// One captured command. It may be executed any number of times.
struct NodeState {
    ~NodeState() {
        if (filled) {
            command.drop();
        }
    }
    Command command;
    const FunctionState* function = nullptr; ///< for a launch
    bool filled = false;
};
using Nodes = std::vector<std::shared_ptr<NodeState>>;

/// A graph: commands in the order of their capture, which respects their dependencies.
struct GraphState {
    Nodes nodes;
};

/// An executable graph. A change makes a new list, so that enqueued launches keep the old one.
struct GraphExecState {
    std::mutex mutex;
    std::shared_ptr<const Nodes> nodes;
    std::vector<const NodeState*> handles; ///< handles of the nodes
};

/// Records the commands of streams instead of executing them. All streams of a capture share one.
class Capture {
public:
    explicit Capture(const Queue* origin) : origin_(origin) { clocks_[origin]; }

    template <class Prepare>
    NodeState& add(const Queue* queue, Prepare&& prepare) {
        const std::lock_guard lock(mutex_);
        nodes_.push_back(std::make_shared<NodeState>());
        NodeState& node = *nodes_.back();
        prepare(node.command);
        node.filled = true;
        clocks_[queue][queue] = nodes_.size();
        return node;
    }
    /// For an event recorded on a captured stream: returns a number for the commands before it.
    std::size_t record(const Queue* queue);
    /// Makes the stream wait for the commands of that number. The stream may be new in this capture.
    void wait(const Queue* queue, std::size_t recorded);
    /// The last command of that stream; null if it has none.
    NodeState* newest(const Queue* queue);
    const Queue* origin() const { return origin_; }
    /// Null if a stream has commands that were not joined with the first stream.
    std::shared_ptr<GraphState> end();

private:
    /// For each stream, the position in the list of nodes up to which commands are waited for.
    using Clock = std::map<const Queue*, std::size_t>;

    std::mutex mutex_;
    const Queue* const origin_;
    Nodes nodes_;
    std::map<const Queue*, Clock> clocks_;
    std::vector<Clock> recorded_;
};

/// Sets the node to the launch described by `call`. Returns the vendor's code.
int prepare_launch(const LaunchCall& call, NodeState& node);

} // namespace ferry_double
