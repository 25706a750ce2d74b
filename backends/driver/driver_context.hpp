// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_api.hpp"
#include "system/process_state.hpp"

#include <atomic>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace ferry::driver {

/// The context of one device. It is created at first use and kept until the process ends.
template <class V>
class DeviceContext {
public:
    using Context = typename V::Context;

    DeviceContext(const Api<V>& api, int ordinal, typename V::Device device)
        : api_(&api), ordinal_(ordinal), device_(device) {}

    const Api<V>& api() const noexcept { return *api_; }
    int ordinal() const noexcept { return ordinal_; }

    /// Throws if the driver cannot create it; a later call tries again.
    Context get() {
        if (!ready_.load(std::memory_order_acquire)) {
            const std::lock_guard lock(mutex_);
            if (!ready_.load(std::memory_order_relaxed)) { // Stored only under the mutex, which is held.
                const ferry::detail::ProcessState kept;    // Creating the context initialises the device.
                context_ = V::make_context(*api_, ordinal_, device_);
                ready_.store(true, std::memory_order_release);
            }
        }
        return context_;
    }

    /// Held during stream captures and by synchronize(). CUDA forbids synchronising while any stream is
    /// captured, and if it coincided with the end of a capture, the driver (580) ended the process.
    std::mutex& capture_mutex() noexcept { return capture_mutex_; }
    /// Blocks until all work of the context is done. The context must be current. Returns false if the vendor
    /// rejects the wait, and the work may continue.
    [[nodiscard]] bool synchronize() noexcept {
        const std::lock_guard lock(capture_mutex_);
        return proves_done(api_->synchronize());
    }

    /// For a vendor whose graphs must not run any more then. If the device does not say that it is done, the
    /// graph waits for the end of the next one, or of a queue. The context is current.
    void destroy_graph(handle::Graph graph, handle::GraphExec exec) noexcept {
        try {
            Graphs one{{graph, exec}};
            const std::lock_guard lock(graphs_mutex_);
            graphs_.splice(graphs_.end(), one);
        } catch (const std::bad_alloc&) {
            return; // It stays: without a place in the list it would never be destroyed.
        }
        destroy_graphs();
    }
    void destroy_graphs() noexcept {
        Graphs mine;
        {
            const std::lock_guard lock(graphs_mutex_);
            mine.swap(graphs_);
        }
        if (mine.empty()) {
            return;
        }
        if (!synchronize()) { // not under the mutex: the awaited work may depend on a thread that needs it
            const std::lock_guard lock(graphs_mutex_);
            graphs_.splice(graphs_.end(), mine);
            return;
        }
        for (const auto& [graph, exec] : mine) {
            api_->call_quietly(api_->graph_exec_destroy, exec);
            api_->call_quietly(api_->graph_destroy, graph);
        }
    }

private:
    using Graphs = std::list<std::pair<handle::Graph, handle::GraphExec>>;

    const Api<V>* api_;
    int ordinal_;
    typename V::Device device_;
    std::mutex mutex_;
    std::mutex capture_mutex_;
    std::mutex graphs_mutex_;
    Graphs graphs_; ///< to be destroyed
    std::atomic<bool> ready_{false};
    Context context_{};
};

/// Makes a context current on this thread and restores the previous one. No other code does so. A thread
/// without a context keeps this one, so that its next call finds it; no code can have relied on having none.
template <class V>
class Guard {
public:
    using Context = typename V::Context;

    Guard(const Api<V>& api, Context context) : api_(&api) {
        api.call(api.get_current, &previous_);
        if (previous_ != context) [[unlikely]] {
            api.call(api.set_current, context);
            changed_ = had_one(previous_);
        }
    }
    explicit Guard(DeviceContext<V>& context) : Guard(context.api(), context.get()) {}
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
        if (changed_) {
            api_->call_quietly(api_->set_current, previous_);
        }
    }

private:
    static bool had_one(Context previous) noexcept {
        if constexpr (std::is_pointer_v<Context>) {
            return previous != nullptr;
        } else {
            return static_cast<void>(previous), true; // HIP: a device is always current.
        }
    }

    const Api<V>* api_;
    Context previous_{};
    bool changed_ = false;
};

/// The context that was current on this thread at its last Guard of in_context(). It takes one pointer of the
/// static thread-local block, which saves each launch a call to find it.
template <class V>
inline constinit thread_local typename V::Context seen_current __attribute__((tls_model("initial-exec"))){};

/// Calls a function with a handle that identifies its context: a stream other than the null stream, an event,
/// or a function. CUDA then accepts any current context, so the thread is not queried every time: once it has
/// had this context, the call is made directly. If the driver rejects the call because of its context (for
/// example, the program has removed the current one), it is repeated with the context current. Such a
/// rejection happens before anything is enqueued. Returns the vendor's code.
template <class V, class S, class... A>
[[nodiscard, gnu::hot]] int in_context(const Api<V>& api, typename V::Context context, const S& symbol,
                                       A... arguments) {
    if constexpr (V::handles_name_the_context) {
        if (seen_current<V> == context) [[likely]] {
            const int code = symbol.function(arguments...);
            if (code != result::invalid_context && code != result::invalid_handle) [[likely]] {
                return code;
            }
        }
        const Guard<V> guard(api, context);
        seen_current<V> = context;
        return symbol.function(arguments...);
    } else {
        const Guard<V> guard(api, context);
        return symbol.function(arguments...);
    }
}

/// The same. Throws unless it is success.
template <class V, class S, class... A>
[[gnu::hot]] void call_in(const Api<V>& api, typename V::Context context, const S& symbol, A... arguments) {
    if (const int code = in_context<V>(api, context, symbol, arguments...); code != result::success)
        [[unlikely]] {
        api.fail(symbol.name, code);
    }
}

/// Runs `release`, which throws nothing, with the context current. For destructors. Does nothing after
/// process exit has begun. If the driver does not report the current context, this one stays current.
template <class V, class F>
void release_in(const Api<V>& api, typename V::Context context, F&& release) noexcept {
    if (backend::process_is_exiting()) {
        return;
    }
    std::optional<Guard<V>> guard;
    try {
        guard.emplace(api, context);
    } catch (const std::exception&) {
        api.call_quietly(api.set_current, context);
    }
    release();
}

} // namespace ferry::driver
