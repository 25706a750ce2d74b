// SPDX-License-Identifier: Apache-2.0
#include "host_event.hpp"

#include "base/no_destructor.hpp"

#include <utility>

namespace ferry::host {
namespace {

struct FreeList {
    std::mutex mutex;
    Recording* first = nullptr;
};

FreeList& free_list() {
    static detail::NoDestructor<FreeList> list;
    return *list;
}

} // namespace

Reference<Recording> Recording::make() {
    FreeList& list = free_list();
    {
        const std::lock_guard lock(list.mutex);
        if (Recording* const recording = list.first) {
            list.first = recording->next_free_;
            recording->owners_.store(1, std::memory_order_relaxed); // No other owner exists: the list's mutex
                                                                    // protects it.
            recording->progress_.reset();
            return Reference<Recording>(recording);
        }
    }
    return Reference<Recording>(new Recording);
}

void Recording::release() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        error_.reset();
        FreeList& list = free_list();
        const std::lock_guard lock(list.mutex);
        next_free_ = list.first;
        list.first = this;
    }
}

void Recording::reach(const std::optional<CommandError>& error) noexcept {
    time_ = Clock::now();
    error_ = error;
    progress_.advance(1);
}

void Recording::await(WaitPolicy policy) noexcept {
    progress_.await(1, policy);
}

void Recording::wait(WaitPolicy policy) {
    await(policy);
    check();
}

void Recording::check() const {
    if (error_) {
        throw Error(error_->error);
    }
}

bool HostEvent::ready() {
    const Reference<Recording> recording = last();
    if (!recording) {
        return true;
    }
    if (!recording->reached()) {
        return false;
    }
    recording->check();
    return true;
}

void HostEvent::wait(WaitPolicy policy) {
    if (const Reference<Recording> recording = last()) {
        recording->wait(policy);
    }
}

std::optional<std::chrono::nanoseconds> HostEvent::since(backend::Event& start) {
    auto& other = static_cast<HostEvent&>(start);
    const Reference<Recording> from = other.last();
    const Reference<Recording> to = last();
    if (!timing_ || !other.timing_ || !from || !to) {
        return std::nullopt;
    }
    return std::chrono::duration_cast<std::chrono::nanoseconds>(to->time() - from->time());
}

Reference<Recording> HostEvent::record(CommandNumbers order) {
    Reference<Recording> recording = Recording::make();
    recording->set_order(std::move(order));
    const std::lock_guard lock(mutex_);
    last_ = recording;
    return recording;
}

Reference<Recording> HostEvent::last() const {
    const std::lock_guard lock(mutex_);
    return last_;
}

} // namespace ferry::host
