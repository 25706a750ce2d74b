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

/// One captured command. It may run any number of times.
struct NodeState {
    ~NodeState() {
        if (filled) {
            command.drop();
        }
    }
    Command command;
    const FunctionState* function = nullptr; ///< of a launch
    bool filled = false;
};
using Nodes = std::vector<std::shared_ptr<NodeState>>;

/// A graph: commands in the order of their capture, which is one that their dependencies allow.
struct GraphState {
    Nodes nodes;
};

/// An executable graph. A change makes a new list, so that launches already enqueued keep theirs.
struct GraphExecState {
    std::mutex mutex;
    std::shared_ptr<const Nodes> nodes;
    std::vector<const NodeState*> handles; ///< what the nodes are called
};

/// What streams take note of in place of running it. All streams of a capture share one.
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
    /// For an event recorded on a stream of it: a number for what stands before it.
    std::size_t record(const Queue* queue);
    /// The stream, which may be new here, waits for what that number stands for.
    void wait(const Queue* queue, std::size_t recorded);
    /// The last command of that stream; null if it has none.
    NodeState* newest(const Queue* queue);
    const Queue* origin() const { return origin_; }
    /// Null if a stream has commands that the first one does not wait for.
    std::shared_ptr<GraphState> end();

private:
    /// Up to where in the list of nodes each stream's commands are waited for.
    using Clock = std::map<const Queue*, std::size_t>;

    std::mutex mutex_;
    const Queue* const origin_;
    Nodes nodes_;
    std::map<const Queue*, Clock> clocks_;
    std::vector<Clock> recorded_;
};

/// Makes of a node the launch that `call` describes; the vendor's code.
int prepare_launch(const LaunchCall& call, NodeState& node);

} // namespace ferry_double
