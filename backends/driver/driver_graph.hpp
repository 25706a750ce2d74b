// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_arguments.hpp"
#include "driver/driver_event.hpp"
#include "driver/driver_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace ferry::driver {

/// Recorded work as a vendor graph. It is captured: the commands are enqueued as usual, on streams that only
/// record them. A recorded command is therefore the same call as an enqueued one, and a few functions of the
/// table cover all kinds of commands.
template <class V>
class Graph final : public backend::Graph {
public:
    Graph(Device<V>& device, DeviceContext<V>& context, Sleepers<V>& sleepers,
          std::span<const backend::RecordedCommand> commands)
        : api_(&context.api()), device_context_(&context), context_(context.get()), nodes_(commands.size()) {
        Capturing capture(device, context, sleepers, commands, nodes_);
        const Guard<V> guard(*api_, context_);
        api_->call(api_->graph_instantiate, &exec_, capture.graph(), 0ULL);
        graph_ = capture.release();
    }
    ~Graph() override {
        release_in<V>(*api_, context_, [this] {
            if constexpr (V::graphs_outlive_their_handle) {
                api_->call_quietly(api_->graph_exec_destroy, exec_);
                api_->call_quietly(api_->graph_destroy, graph_);
            } else {
                device_context_->destroy_graph(graph_, exec_);
            }
        });
    }

    void change(std::size_t place, const backend::RecordedCommand& command) override {
        auto& kernel = static_cast<Kernel<V>&>(*command.kernel);
        PackedArguments<V> packed(command.arguments, kernel.offset_for(command.grid));
        const Guard<V> guard(*api_, context_);
        if (packed.local_bytes() != 0) {
            kernel.allow_local_memory(packed.local_bytes());
        }
        typename V::KernelNode node;
        node.function = kernel.function();
        node.groups[0] = narrow(command.grid.groups.x);
        node.groups[1] = narrow(command.grid.groups.y);
        node.groups[2] = narrow(command.grid.groups.z);
        node.local[0] = narrow(command.grid.local.x);
        node.local[1] = narrow(command.grid.local.y);
        node.local[2] = narrow(command.grid.local.z);
        node.local_bytes = narrow(packed.local_bytes());
        node.parameters = packed.parameters();
        api_->call(api_->graph_set_kernel, exec_, nodes_[place],
                   static_cast<const typename V::KernelNode*>(&node));
    }

    handle::GraphExec native() const noexcept { return exec_; }

private:
    /// The streams of one capture. The stream of the first line is the captured one.
    class Capturing {
    public:
        Capturing(Device<V>& device, DeviceContext<V>& context, Sleepers<V>& sleepers,
                  std::span<const backend::RecordedCommand> commands, std::vector<handle::GraphNode>& nodes)
            : api_(&context.api()), context_(context.get()), commands_(commands), done_(commands.size()) {
            std::uint32_t lines = 1;
            for (const backend::RecordedCommand& command : commands) {
                lines = std::max(lines, command.line + 1);
                for (const std::uint32_t before : command.after) {
                    if (done_[before] == nullptr) {
                        done_[before] = std::make_unique<Event<V>>(context, sleepers, false);
                    }
                }
            }
            for (std::uint32_t line = 0; line < lines; ++line) {
                queues_.push_back(
                    std::make_unique<Queue<V>>(device, context, sleepers, QueuePriority::normal));
                marks_.push_back(std::make_unique<Event<V>>(context, sleepers, false));
            }
            const std::lock_guard lock(context.capture_mutex());
            const Guard<V> guard(*api_, context_);
            api_->call(api_->capture_begin, stream(0), flag::capture_relaxed);
            try {
                enqueue_all(nodes);
            } catch (...) {
                end();
                destroy(); // The capture may still be complete, and no destructor runs.
                throw;
            }
            if (const int code = end(); code != result::success) {
                destroy();
                api_->fail(api_->capture_end.name, code);
            }
        }
        Capturing(const Capturing&) = delete;
        Capturing& operator=(const Capturing&) = delete;
        ~Capturing() { destroy(); }
        handle::Graph graph() const noexcept { return graph_; }
        handle::Graph release() noexcept { return std::exchange(graph_, nullptr); }

    private:
        handle::Stream stream(std::uint32_t line) {
            return static_cast<handle::Stream>(queues_[line]->native());
        }
        int end() { return api_->capture_end(stream(0), &graph_); }
        void destroy() noexcept {
            if (handle::Graph const graph = release(); graph != nullptr) {
                api_->call_quietly(api_->graph_destroy, graph);
            }
        }

        void enqueue_all(std::vector<handle::GraphNode>& nodes) {
            std::size_t next = 0;
            if (V::graphs_need_one_root && queues_.size() > 1) {
                for (bool rooted = false; !rooted && next < commands_.size(); ++next) {
                    rooted = has_node(commands_[next]);
                    capture(next, 0, nodes);
                }
            }
            // All lines join the capture at its start, and the first one at its end.
            queues_[0]->record(*marks_[0]);
            for (std::size_t line = 1; line < queues_.size(); ++line) {
                queues_[line]->wait(*marks_[0]);
            }
            for (; next < commands_.size(); ++next) {
                capture(next, commands_[next].line, nodes);
            }
            for (std::size_t line = 1; line < queues_.size(); ++line) {
                queues_[line]->record(*marks_[line]);
                queues_[0]->wait(*marks_[line]);
            }
        }
        void capture(std::size_t place, std::uint32_t line, std::vector<handle::GraphNode>& nodes) {
            const backend::RecordedCommand& command = commands_[place];
            Queue<V>& queue = *queues_[line];
            for (const std::uint32_t before : command.after) {
                queue.wait(*done_[before]);
            }
            enqueue(command, queue);
            if (command.what == backend::RecordedCommand::What::launch) {
                nodes[place] = newest_node(stream(line));
            }
            if (done_[place] != nullptr) {
                queue.record(*done_[place]);
            }
        }
        static bool has_node(const backend::RecordedCommand& command) {
            return command.what == backend::RecordedCommand::What::launch || command.bytes != 0;
        }
        static void enqueue(const backend::RecordedCommand& command, Queue<V>& queue) {
            using What = backend::RecordedCommand::What;
            if (command.what == What::launch) {
                queue.launch(*command.kernel, command.grid, command.arguments);
            } else if (!has_node(command)) { // It only keeps its position.
            } else if (command.what == What::fill) {
                queue.fill(command.to, command.bytes, command.pattern, command.pattern_bytes);
            } else {
                queue.copy(command.from, command.to, command.bytes);
            }
        }
        /// The last node captured on the stream.
        handle::GraphNode newest_node(handle::Stream stream) const {
            int status = 0;
            typename V::CaptureNumber number = 0;
            handle::Graph graph = nullptr;
            const handle::GraphNode* nodes = nullptr;
            std::size_t count = 0;
            api_->call(api_->capture_info, stream, &status, &number, &graph, &nodes, &count);
            return count != 0 ? nodes[count - 1] : nullptr;
        }

        const Api<V>* api_;
        typename V::Context context_;
        std::span<const backend::RecordedCommand> commands_;
        std::vector<std::unique_ptr<Event<V>>> done_; ///< Events of the commands that others wait for.
        std::vector<std::unique_ptr<Queue<V>>> queues_;
        std::vector<std::unique_ptr<Event<V>>> marks_;
        handle::Graph graph_ = nullptr;
    };

    const Api<V>* api_;
    DeviceContext<V>* device_context_;
    typename V::Context context_;
    std::vector<handle::GraphNode> nodes_;
    handle::Graph graph_ = nullptr;
    handle::GraphExec exec_ = nullptr;
};

template <class V>
void Queue<V>::replay(backend::Graph& graph) {
    commands_.replay(static_cast<Graph<V>&>(graph).native());
}

} // namespace ferry::driver
