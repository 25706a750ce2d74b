// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <atomic>

namespace ferry::detail {

/// Ensures a clean process exit: after the handler, no vendor call is made. Call it after every step in which
/// a vendor library may have registered an exit handler (opening it, the first context). Handlers run in
/// reverse order, and Ferry's must run before the vendor's. Any thread may call it any number of times: each
/// call moves the one handler to the front. A child process (fork) stops its own lanes and queues if it
/// registered a handler itself, and nothing of its parent.
void register_exit_handler() noexcept;

/// Whether the calling thread is inside a vendor call: the vendor called exit(). No further call may be made
/// then, because the vendor may hold its own locks.
bool is_inside_vendor_call() noexcept;

/// For a call made after process exit has begun: blocks until the process has ended, so that the program gets
/// no error that it cannot handle. Limited to a second after Ferry's exit handler, because exit handlers of
/// the program may join the thread. Returns at once on the thread that called exit() and on the library's own
/// threads. The caller must hold nothing that process exit waits for.
void keep_thread_at_exit() noexcept;

/// Used around vendor calls outside a queue's lock: process exit waits (with a limit) until none is in
/// progress. Two atomic operations.
class VendorCall {
public:
    VendorCall() noexcept;
    VendorCall(const VendorCall&) = delete;
    VendorCall& operator=(const VendorCall&) = delete;
    ~VendorCall();

    /// False if process exit began first: the call must not be made.
    bool allowed() const noexcept { return allowed_; }
    /// Throws Error (invalid_state) if it is not allowed, after keep_thread_at_exit().
    void check(const SourceLocation& where) const;

private:
    std::atomic<int>* count_;
    bool allowed_;
};

/// For a call that blocks until commands are done. If process exit began meanwhile, their state is unknown,
/// and the caller would free memory that the driver still writes to. The destructor therefore calls
/// keep_thread_at_exit().
class WaitAtExit {
public:
    WaitAtExit() noexcept = default;
    WaitAtExit(const WaitAtExit&) = delete;
    WaitAtExit& operator=(const WaitAtExit&) = delete;
    ~WaitAtExit();
};

} // namespace ferry::detail
