// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_context.hpp"

#include <cstddef>
#include <utility>

namespace ferry::driver {

/// The only way to hand work to a stream. The vendor's call and the record of the work that it took are one
/// step: the error of a later call of the same command states that part (backend::Queue::Taken).
template <class V>
class Commands {
public:
    Commands(const Api<V>& api, typename V::Context context, backend::Queue::Taken& taken,
             handle::Stream stream = nullptr) noexcept
        : api_(&api), context_(context), taken_(&taken), stream_(stream) {}
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    /// Makes the stream. The context is current.
    void create_stream(QueuePriority priority) {
        if (priority != QueuePriority::normal && api_->stream_create_with_priority) {
            int lowest = 0;
            int highest = 0;
            api_->call(api_->priority_range, &lowest, &highest);
            api_->call(api_->stream_create_with_priority, &stream_, flag::stream_non_blocking,
                       priority == QueuePriority::high ? highest : lowest);
            api_->made(api_->stream_create_with_priority, stream_);
            return;
        }
        api_->call(api_->stream_create, &stream_, flag::stream_non_blocking);
        api_->made(api_->stream_create, stream_);
    }
    /// For events, waits and questions, which are no work.
    handle::Stream stream() const noexcept { return stream_; }

    /// Calls a function for `bytes` of work; the stream is its last argument.
    template <class S, class... A>
    [[gnu::hot]] void submit(std::size_t bytes, const S& symbol, A... arguments) {
        call_in<V>(*api_, context_, symbol, arguments..., stream_);
        taken_->bytes += bytes;
    }
    /// The same for a function that the vendors do not share: `call(stream)` returns its code, `name` is its
    /// name.
    template <class F>
    void submit_as(std::size_t bytes, const char* name, F&& call) {
        const Guard<V> guard(*api_, context_);
        if (const int code = std::forward<F>(call)(stream_); code != result::success) {
            api_->fail(name, code);
        }
        taken_->bytes += bytes;
    }

    struct Shape {
        unsigned int groups[3];
        unsigned int local[3];
        unsigned int local_bytes = 0;
    };
    /// Launches the program's kernel.
    [[gnu::hot]] void launch(handle::Function function, const Shape& shape, void** parameters) {
        enqueue(function, shape, parameters);
        taken_->kernel = true;
    }
    /// Launches a kernel of Ferry's own, for `bytes` of a copy or a fill.
    void launch_for(std::size_t bytes, handle::Function function, const Shape& shape, void** parameters) {
        enqueue(function, shape, parameters);
        taken_->bytes += bytes;
    }
    void replay(handle::GraphExec graph) {
        call_in<V>(*api_, context_, api_->graph_launch, graph, stream_);
        taken_->kernel = true;
    }

private:
    [[gnu::hot]] void enqueue(handle::Function function, const Shape& shape, void** parameters) {
        call_in<V>(*api_, context_, api_->launch, function, shape.groups[0], shape.groups[1], shape.groups[2],
                   shape.local[0], shape.local[1], shape.local[2], shape.local_bytes, stream_, parameters,
                   static_cast<void**>(nullptr));
    }

    const Api<V>* api_;
    typename V::Context context_;
    backend::Queue::Taken* taken_;
    handle::Stream stream_;
};

} // namespace ferry::driver
