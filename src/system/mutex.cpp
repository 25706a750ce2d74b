// SPDX-License-Identifier: Apache-2.0
#include "system/mutex.hpp"

#include "system/pause.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <ctime>

namespace ferry::detail {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Makes every thread of the process pass a memory barrier, so that frequent operations of many threads need
/// none (except std::atomic_signal_fence, for the compiler). A system call, membarrier(2). Returns false if
/// it is not available: the call then has no effect, and elapsed time is not a barrier.
bool process_barrier() noexcept {
    // A process must register once.
    static const bool has = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return has && ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

} // namespace

void Mutex::wait() noexcept {
    constexpr int rounds = 100; // A few microseconds, as long as most vendor calls.
    for (int i = 0; i < rounds; ++i) {
        relax_processor();
        if (try_take()) {
            return;
        }
    }
    // The barrier is a single point in the order of each thread. An unlock() that loads waiting_ before it
    // has stored locked_ before it, and the exchange below sees that. An unlock() that loads after it sees
    // this count.
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const bool will_be_woken = process_barrier();
    const timespec a_millisecond{0, 1'000'000};
    while (locked_.exchange(1, std::memory_order_acquire) != 0) {
        ::syscall(SYS_futex, &locked_, FUTEX_WAIT_PRIVATE, 1U, will_be_woken ? nullptr : &a_millisecond,
                  nullptr, 0);
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed); // A late decrement only costs a call.
}

bool Mutex::is_held_by_this_thread() const noexcept {
    // Relaxed: the answer depends on stores of this thread only, because others store addresses of their
    // stacks.
    const std::uintptr_t holder = holder_.load(std::memory_order_relaxed);
    pthread_attr_t attributes;
    if (holder == 0 || pthread_getattr_np(pthread_self(), &attributes) != 0) {
        return false;
    }
    void* begin = nullptr;
    std::size_t bytes = 0;
    const bool known = pthread_attr_getstack(&attributes, &begin, &bytes) == 0;
    pthread_attr_destroy(&attributes);
    return known && holder - reinterpret_cast<std::uintptr_t>(begin) < bytes;
}

void Mutex::wake() noexcept {
    ::syscall(SYS_futex, &locked_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace ferry::detail
