// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ferry::detail {

/// A mutex for data that one thread uses almost exclusively, such as the state of a queue. It is held no
/// longer than a vendor call. While no thread waits, locking is one exchange and unlocking a plain store,
/// both inlined in the caller's code. A std::mutex needs two atomic exchanges in two functions of another
/// library. A driver call has usually evicted these functions from the nearest caches (docs/design/queues.md
/// has the cost). The class works with std::lock_guard and std::unique_lock. The holder is identified by an
/// address on its stack, which costs less than querying the thread.
///
/// The waiting threads bear the cost. A thread announces that it waits and then makes every other thread of
/// the process pass a memory barrier (membarrier(2)). An unlocking thread has then either stored before the
/// barrier or sees the waiting one. If the kernel has no such call, waiters check again each millisecond. The
/// function unlock() still checks for waiters after another thread may have locked the mutex. The unlocking
/// thread must therefore keep it alive.
class Mutex {
public:
    Mutex() noexcept = default;
    Mutex(const Mutex&) = delete;
    Mutex& operator=(const Mutex&) = delete;

    [[gnu::always_inline]] void lock() noexcept {
        if (locked_.exchange(1, std::memory_order_acquire) != 0) [[unlikely]] {
            wait();
        }
        note_holder();
    }
    [[gnu::always_inline]] bool try_lock() noexcept {
        const bool locked = try_take();
        if (locked) {
            note_holder();
        }
        return locked;
    }
    [[gnu::always_inline]] void unlock() noexcept {
        holder_.store(0, std::memory_order_relaxed);
        locked_.store(0, std::memory_order_release);
        // Relaxed: the barrier of wait() on all threads comes after its count, so this load sees the count,
        // or the waiting thread sees the store before. The fence keeps the order in the compiler.
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (waiting_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
            wake();
        }
    }

    /// For process exit; slow. False if the thread's stack is not known.
    bool is_held_by_this_thread() const noexcept;

private:
    void wait() noexcept;
    void wake() noexcept;
    bool try_take() noexcept {
        // Relaxed: a guess that saves the exchange, which acquires.
        return locked_.load(std::memory_order_relaxed) == 0 &&
               locked_.exchange(1, std::memory_order_acquire) == 0;
    }
    [[gnu::always_inline]] void note_holder() noexcept {
        holder_.store(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                      std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> locked_{0};
    std::atomic<std::uint32_t> waiting_{0}; ///< Number of threads.
    /// An address on the stack of the holder. Relaxed: a thread only looks for an address of its own stack,
    /// and it sees its own stores in order.
    std::atomic<std::uintptr_t> holder_{0};
};

/// Holds a mutex until the end of its scope, inlined in the caller's code.
class MutexHeld {
public:
    [[gnu::always_inline]] explicit MutexHeld(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    MutexHeld(const MutexHeld&) = delete;
    MutexHeld& operator=(const MutexHeld&) = delete;
    [[gnu::always_inline]] ~MutexHeld() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

/// The opposite: releases a mutex that the enclosing scope holds.
class MutexReleased {
public:
    explicit MutexReleased(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.unlock(); }
    MutexReleased(const MutexReleased&) = delete;
    MutexReleased& operator=(const MutexReleased&) = delete;
    ~MutexReleased() { mutex_.lock(); }

private:
    Mutex& mutex_;
};

} // namespace ferry::detail
