// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"

#include <atomic>

namespace ferry::detail {

/// Makes the end of the process clean: from the handler on, no vendor call is made. Call it after every
/// step in which a vendor library may have registered an exit handler of its own (opening it, the first
/// context), because handlers run in reverse order and Ferry's must come before the vendor's. On any thread,
/// any number of times: the first handler to run does the work. A child process (fork) stops its own lanes
/// and queues if it registered a handler itself, and of its parent's nothing.
void register_exit_handler() noexcept;

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
    /// Throws Error (invalid_state) if it is not allowed.
    void check(const SourceLocation& where) const;

private:
    std::atomic<int>* count_;
    bool allowed_;
};

/// In a call that blocks until commands are done. If the process began to end meanwhile, nobody knows whether
/// they are, and the caller would free memory that the driver still writes to: the destructor keeps the
/// thread until the process is gone. Bounded (a second after Ferry's exit handler), since exit handlers of
/// the program may join the thread; the thread that called exit() is not kept, nor one of Ferry's own.
class WaitAtExit {
public:
    WaitAtExit() noexcept = default;
    WaitAtExit(const WaitAtExit&) = delete;
    WaitAtExit& operator=(const WaitAtExit&) = delete;
    ~WaitAtExit();
};

} // namespace ferry::detail
