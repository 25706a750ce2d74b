// SPDX-License-Identifier: Apache-2.0
#include "driver/range_lock.hpp"

#include <algorithm>
#include <chrono>

namespace ferry::driver {
namespace {

bool overlap(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t other_begin,
             std::uintptr_t other_end) noexcept {
    return begin < other_end && other_begin < end;
}

} // namespace

RangeLock::User::User(RangeLock& lock) : lock_(lock) {
    const std::lock_guard held(lock.mutex_);
    next_ = lock.users_;
    lock.users_ = this;
}

RangeLock::User::~User() {
    const std::lock_guard held(lock_.mutex_);
    User** user = &lock_.users_;
    while (*user != this) {
        user = &(*user)->next_;
    }
    *user = next_;
}

RangeLock::Alone::Alone(RangeLock& lock, std::uintptr_t begin, std::uintptr_t end) : lock_(lock) {
    lock.alone_.fetch_add(1); // Before is_used() looks: see Together.
    lock.enter(request_, begin, end, true);
}

RangeLock::Alone::~Alone() {
    lock_.leave(request_);
    lock_.alone_.fetch_sub(1, std::memory_order_release);
}

void RangeLock::enter(Request& request, std::uintptr_t begin, std::uintptr_t end, bool alone) {
    std::unique_lock held(mutex_);
    request = {begin, end, alone, newest_, nullptr};
    if (newest_ != nullptr) {
        newest_->next = &request;
    }
    newest_ = &request;
    const auto is_free = [&request] {
        for (const Request* other = request.before; other != nullptr; other = other->before) {
            if ((other->alone || request.alone) &&
                overlap(request.begin, request.end, other->begin, other->end)) {
                return false;
            }
        }
        return true;
    };
    ++waiting_;
    changed_.wait(held, is_free);
    // Users that held their range before it arrived do not notify it when they are done.
    constexpr std::chrono::microseconds longest{1000};
    for (std::chrono::microseconds nap{1}; alone && is_used(request); nap = std::min(2 * nap, longest)) {
        changed_.wait_for(held, nap);
    }
    --waiting_;
}

void RangeLock::leave(Request& request) noexcept {
    const std::lock_guard held(mutex_);
    if (request.before != nullptr) {
        request.before->next = request.next;
    }
    (request.next != nullptr ? request.next->before : newest_) = request.before;
    if (waiting_ != 0) {
        changed_.notify_all();
    }
}

bool RangeLock::is_used(const Request& request) const noexcept {
    for (const User* user = users_; user != nullptr; user = user->next_) {
        const std::uintptr_t end = user->end_.load();
        // A begin that is newer than this end belongs to a later range, so the one seen here has ended.
        if (end != 0 &&
            overlap(request.begin, request.end, user->begin_.load(std::memory_order_acquire), end)) {
            return true;
        }
    }
    return false;
}

} // namespace ferry::driver
