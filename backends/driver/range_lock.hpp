// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ferry::driver {

/// A lock of address ranges: many threads hold the same bytes together, or one holds them alone. It is
/// optimised for frequent shared and rare exclusive use: while no thread holds or wants a range alone, shared
/// locking is an exchange and two plain stores. Otherwise requests are served in the order of arrival, so no
/// thread starves. A thread that holds a range must not request another one: it would deadlock.
class RangeLock {
    struct Request {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        bool alone = false;
        Request* before = nullptr; ///< In the order of arrival.
        Request* next = nullptr;
    };

public:
    RangeLock() = default;
    RangeLock(const RangeLock&) = delete;
    RangeLock& operator=(const RangeLock&) = delete;

    /// Holds ranges together with others, one at a time, from one thread at a time: a queue.
    class User {
    public:
        explicit User(RangeLock& lock);
        User(const User&) = delete;
        User& operator=(const User&) = delete;
        ~User();

    private:
        friend class RangeLock;

        RangeLock& lock_;
        std::atomic<std::uintptr_t> begin_{0};
        std::atomic<std::uintptr_t> end_{0}; ///< 0: holds none, or as its request states.
        Request request_;
        User* next_ = nullptr;
    };

    /// Holds [begin, end) of addresses, which is not empty, until its destruction. The constructor blocks
    /// while another thread holds some of them alone, or requested this earlier. Allocates nothing.
    class Together {
    public:
        [[gnu::always_inline]] Together(User& user, std::uintptr_t begin, std::uintptr_t end) : user_(user) {
            user.begin_.store(begin, std::memory_order_release); // After the end of the previous one.
            // Sequentially consistent, like Alone's count and its loads of end_: either this thread sees that
            // another one wants the range alone, or that one sees this range.
            user.end_.exchange(end);
            if (user.lock_.alone_.load() != 0) [[unlikely]] {
                user.end_.store(0, std::memory_order_release);
                user.lock_.enter(user.request_, begin, end, false);
                in_order_ = true;
            }
        }
        Together(const Together&) = delete;
        Together& operator=(const Together&) = delete;
        [[gnu::always_inline]] ~Together() {
            user_.end_.store(0, std::memory_order_release);
            if (in_order_) [[unlikely]] {
                user_.lock_.leave(user_.request_);
            }
        }

    private:
        User& user_;
        bool in_order_ = false;
    };

    /// The same, exclusively. Allocates nothing.
    class Alone {
    public:
        Alone(RangeLock& lock, std::uintptr_t begin, std::uintptr_t end);
        Alone(const Alone&) = delete;
        Alone& operator=(const Alone&) = delete;
        ~Alone();

    private:
        RangeLock& lock_;
        Request request_;
    };

private:
    void enter(Request& request, std::uintptr_t begin, std::uintptr_t end, bool alone);
    void leave(Request& request) noexcept;
    bool is_used(const Request& request) const noexcept;

    std::atomic<std::size_t> alone_{0}; ///< Number of threads that hold or want a range alone.
    std::mutex mutex_;                  ///< Protects all members below.
    std::condition_variable changed_;
    std::size_t waiting_ = 0;
    Request* newest_ = nullptr;
    User* users_ = nullptr;
};

} // namespace ferry::driver
