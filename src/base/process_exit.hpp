// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/exiting.hpp"

#include <ferry/error.hpp>

#include <atomic>
#include <cstdint>

namespace ferry::detail {

/// Ensures a clean process exit: after the handler, no vendor call is made. Call it after every step in which
/// a vendor library may have registered an exit handler (opening it, the first context). Handlers run in
/// reverse order, and Ferry's must run before the vendor's. Any thread may call it any number of times: each
/// call moves the one handler to the front. A child process (fork) stops its own serial threads and queues if
/// it registered a handler itself, and nothing of its parent.
void register_exit_handler() noexcept;

/// The tasks of process exit, in the order in which they run.
enum class ExitTask : std::uint8_t {
    traces,      ///< Before the exit flag is set: the vendors can still be called.
    leaks,       ///< Reports of allocations that the program did not free. Not in a child process.
    host_work,   ///< Before `queues`, because calls that wait for the host device then return.
    queue_calls, ///< Waits, with a limit, until no thread is in a vendor call of a queue.
    pages,       ///< Last, because nothing protects further pages: makes protected pages accessible.
    drivers,     ///< When the main thread ends, before all others: waits for drivers of this process.
    count,
};
/// Sets the function of a task. Modules call it when they begin to need the task; any number of times.
void at_process_exit(ExitTask task, void (*run)() noexcept) noexcept;
/// Sets a function that returns whether the calling thread is inside a vendor call of a queue.
void set_queue_call_query(bool (*query)() noexcept) noexcept;

/// Whether the calling thread is inside a vendor call: the vendor called exit(). No further call may be made
/// then, because the vendor may hold its own locks.
bool is_inside_vendor_call() noexcept;

/// For a call made after process exit has begun: blocks until the process has ended, so that the program gets
/// no error that it cannot handle. Returns earlier if Ferry's exit handler has run and the exiting thread has
/// used no processor time for a second, because it may be joining this thread. Returns at once on the thread
/// that called exit() and on the library's own threads. The caller must hold nothing that process exit waits
/// for.
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
