// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace ferry::detail {

/// For what nearly always one thread uses, and holds no longer than a vendor's call takes: the mutex of a
/// queue. While nobody waits, locking is one exchange and unlocking a plain store, both in the caller's own
/// code; std::mutex makes two atomic exchanges in two functions of another library, which a driver's call has
/// put out of the nearest caches (docs/design/queues.md has what that costs). It fits std::lock_guard and
/// std::unique_lock. The holder is known by an address on its stack, which costs less than asking for the
/// thread.
///
/// Whoever waits makes up for it: a thread says that it waits and then has every other thread of the process
/// pass a memory barrier (membarrier(2)), so that an unlocking thread either had stored before or sees that
/// somebody waits. Where the kernel has no such call, waiters look again each millisecond. unlock() still
/// looks for waiters once another thread may have locked it, so whoever unlocks has to keep it alive.
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
        std::atomic_signal_fence(std::memory_order_seq_cst); // the compiler keeps the order, too
        if (waiting_.load(std::memory_order_relaxed) != 0) [[unlikely]] {
            wake();
        }
    }

    /// For the end of the process; slow. False where the thread's stack is not known.
    bool is_held_by_this_thread() const noexcept;

private:
    void wait() noexcept;
    void wake() noexcept;
    bool try_take() noexcept {
        return locked_.load(std::memory_order_relaxed) == 0 &&
               locked_.exchange(1, std::memory_order_acquire) == 0;
    }
    [[gnu::always_inline]] void note_holder() noexcept {
        holder_.store(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
                      std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> locked_{0};
    std::atomic<std::uint32_t> waiting_{0}; ///< threads
    std::atomic<std::uintptr_t> holder_{0}; ///< an address on the stack of the thread that has it
};

/// Holds one to the end of its scope, in the caller's own code as well.
class MutexHeld {
public:
    [[gnu::always_inline]] explicit MutexHeld(Mutex& mutex) noexcept : mutex_(mutex) { mutex_.lock(); }
    MutexHeld(const MutexHeld&) = delete;
    MutexHeld& operator=(const MutexHeld&) = delete;
    [[gnu::always_inline]] ~MutexHeld() { mutex_.unlock(); }

private:
    Mutex& mutex_;
};

/// The other way round: lets go of one that the scope around it holds.
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
