// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <atomic>

namespace ferry::detail {

/// Makes the end of the process clean: from the handler on, no vendor call is made. Call it after every
/// step in which a vendor library may have registered an exit handler of its own (opening it, the first
/// context), because handlers run in reverse order and Ferry's must come before the vendor's. On any thread,
/// any number of times: each call moves the one handler to the front. A child process (fork) stops its own
/// lanes and queues if it registered a handler itself, and of its parent's nothing.
void register_exit_handler() noexcept;

/// Whether the calling thread is inside a vendor's call: the vendor called exit(). No further call may be
/// made then, because the vendor may hold its own locks.
bool is_inside_vendor_call() noexcept;

/// For a call that is made once the process has begun to end: blocks until the process is gone, so that the
/// program is not told of an error that it could only end badly by. Bounded (a second after Ferry's exit
/// handler), since exit handlers of the program may join the thread; returns at once on the thread that
/// called exit() and on the library's own threads. Hold nothing that the end of the process waits for.
void keep_thread_at_exit() noexcept;

/// Around vendor calls that are made outside a queue's lock: the end of the process waits (bounded) until
/// none is being made. Two atomic operations.
class VendorCall {
public:
    VendorCall() noexcept;
    VendorCall(const VendorCall&) = delete;
    VendorCall& operator=(const VendorCall&) = delete;
    ~VendorCall();

    /// False if the process began to end first: then the call must not be made.
    bool allowed() const noexcept { return allowed_; }
    /// Throws Error (invalid_state) if it is not allowed, after keep_thread_at_exit().
    void check(const SourceLocation& where) const;

private:
    std::atomic<int>* count_;
    bool allowed_;
};

/// In a call that blocks until commands are done. If the process began to end meanwhile, nobody knows whether
/// they are, and the caller would free memory that the driver still writes to: the destructor calls
/// keep_thread_at_exit().
class WaitAtExit {
public:
    WaitAtExit() noexcept = default;
    WaitAtExit(const WaitAtExit&) = delete;
    WaitAtExit& operator=(const WaitAtExit&) = delete;
    ~WaitAtExit();
};

} // namespace ferry::detail
