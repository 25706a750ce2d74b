// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_api.hpp"

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace ferry::opencl {

/// The only way to submit commands to a driver's queue. A command counts as running even if the call failed,
/// until an event or a wait proves that it is done (Progress).
class Commands {
public:
    explicit Commands(cl_command_queue queue) noexcept : queue_(queue) {}
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    cl_command_queue queue() const noexcept { return queue_; }
    /// Number of commands so far, including failed ones. Any thread may call it.
    std::uint64_t count() const noexcept { return count_.load(); }

    /// Calls the function for this queue. One thread at a time.
    template <class R, class... P>
    [[nodiscard]] R submit(const Function<R (*)(cl_command_queue, P...), true>& function,
                           std::type_identity_t<P>... arguments) noexcept {
        const R result = function.function_(queue_, arguments...);
        // Counted after the call, so that a wait that begins before it does not prove it done. The only
        // writer may read its own count relaxed.
        count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        return result;
    }
    /// An event after the commands so far. A marker uses no memory, so it is not counted.
    [[nodiscard]] static cl_int mark(const Api& api, cl_command_queue queue, cl_event* event) noexcept {
        return api.clEnqueueMarkerWithWaitList.function_(queue, 0, nullptr, event);
    }

private:
    cl_command_queue queue_;
    std::atomic<std::uint64_t> count_{0};
};

} // namespace ferry::opencl
