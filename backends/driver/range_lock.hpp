// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace ferry::driver {

/// A lock of ranges of addresses: many threads have the same bytes together, or one alone. Made for many who
/// come together all the time and few who come alone: while nobody has or wants a range alone, to have one
/// together is an exchange and two plain stores. Behind that whoever comes first has it first, so that nobody
/// waits for ever. A thread that has a range does not ask for another: it would wait for who waits for it.
class RangeLock {
    struct Request {
        std::uintptr_t begin = 0;
        std::uintptr_t end = 0;
        bool alone = false;
        Request* before = nullptr; ///< in the order of arrival
        Request* next = nullptr;
    };

public:
    RangeLock() = default;
    RangeLock(const RangeLock&) = delete;
    RangeLock& operator=(const RangeLock&) = delete;

    /// Has ranges together with others, one at a time, from one thread at a time: a queue.
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
        std::atomic<std::uintptr_t> end_{0}; ///< 0: has none, or as its request says
        Request request_;
        User* next_ = nullptr;
    };

    /// [begin, end) of addresses, not empty, until its end. The constructor blocks while somebody has them
    /// alone or came before to have them so. Allocates nothing.
    class Together {
    public:
        [[gnu::always_inline]] Together(User& user, std::uintptr_t begin, std::uintptr_t end) : user_(user) {
            user.begin_.store(begin, std::memory_order_release); // behind the end of the one before
            // Sequentially consistent, as Alone's count and its loads of end_: either this thread sees that
            // somebody comes alone, or that one sees this range.
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

    /// The same with nobody else. Allocates nothing.
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

    std::atomic<std::size_t> alone_{0}; ///< who have or want a range alone
    std::mutex mutex_;                  ///< of all that follows
    std::condition_variable changed_;
    std::size_t waiting_ = 0;
    Request* newest_ = nullptr;
    User* users_ = nullptr;
};

} // namespace ferry::driver
