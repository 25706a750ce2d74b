// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ferry::detail {

/// Minimum bytes of stack of every thread of the library.
constexpr std::size_t least_stack_size = std::size_t{8} << 20;
/// Bytes of stack of the program's own new threads, and of those of vendor libraries. 0 if not known.
std::size_t stack_of_new_threads() noexcept;
/// Bytes of stack for a thread that runs functions of the program: 8 MiB, or more if the program's own new
/// threads get more.
std::size_t default_stack_size() noexcept;

/// The addresses of the calling thread's stack. The list of mappings is no source for them, because the
/// kernel merges a thread's stack with an adjacent mapping.
struct StackBounds {
    std::uintptr_t begin = 0, end = 0;
};
StackBounds find_stack_of_this_thread() noexcept;

/// The numbers by which the system's tools know this process and this thread.
std::uint64_t process_number() noexcept;
std::uint64_t thread_number() noexcept;
/// The name of the calling thread in the system's tools.
std::string thread_name();

/// The clock of the processor time of the calling thread, which other threads can read. Empty if there is
/// none.
std::optional<int> thread_clock() noexcept;
/// The time of such a clock. Zero if its thread has ended.
std::chrono::nanoseconds time_of_thread(int clock) noexcept;

/// By how many nanoseconds the system may prolong each sleep of the calling thread.
int timer_slack() noexcept;
void set_timer_slack(int nanoseconds) noexcept;

/// A thread of the library. It starts with the default floating-point environment, whatever its parent has
/// set, and with all signals blocked, because they are meant for the program's own threads. Signals raised by
/// its own instructions (a fault in a kernel) are not blocked.
class Thread {
public:
    Thread() noexcept = default;
    /// `name`: at most 15 characters, in static storage. `stack`: bytes that the body can use. Throws Error
    /// (out_of_memory) if the system creates no thread.
    Thread(const char* name, std::function<void()> body, std::size_t stack = default_stack_size());
    Thread(Thread&& other) noexcept;
    Thread& operator=(Thread&& other) noexcept;
    ~Thread(); ///< Detaches a thread that was neither joined nor detached.

    static bool on_any() noexcept; ///< Whether the calling thread belongs to the library.

    void join();   ///< Blocks until the body has returned.
    void detach(); ///< The thread continues without an owner.

private:
    pthread_t thread_{};
    bool owned_ = false;
};

} // namespace ferry::detail
