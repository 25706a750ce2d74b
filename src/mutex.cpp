// SPDX-License-Identifier: Apache-2.0
#include "mutex.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>

namespace ferry::detail {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Whether this process may have its threads pass a barrier. It has to say so once.
bool has_barrier() noexcept {
    static const bool has = ::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return has;
}

/// Every thread of the process passes a memory barrier meanwhile. False if that cannot be had.
bool barrier_everywhere() noexcept {
    return has_barrier() && ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace

void Mutex::wait() noexcept {
    constexpr int rounds = 100; // a few microseconds, as long as most calls of a vendor
    for (int i = 0; i < rounds; ++i) {
        relax();
        if (try_lock()) {
            return;
        }
    }
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    const bool will_be_woken = barrier_everywhere();
    const timespec a_millisecond{0, 1'000'000};
    while (locked_.exchange(1, std::memory_order_acquire) != 0) {
        ::syscall(SYS_futex, &locked_, FUTEX_WAIT_PRIVATE, 1U, will_be_woken ? nullptr : &a_millisecond,
                  nullptr, 0);
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
}

void Mutex::wake() noexcept {
    ::syscall(SYS_futex, &locked_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

} // namespace ferry::detail
