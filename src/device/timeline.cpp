// SPDX-License-Identifier: Apache-2.0
#include "device/timeline.hpp"

#include "base/exiting.hpp"
#include "base/no_destructor.hpp"
#include "device/exit_watch.hpp"
#include "device/queue_interface.hpp"
#include "system/fork.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace ferry::detail {
namespace {

struct Free {
    std::mutex mutex;
    unsigned forks = fork_count(); ///< The process in which they are free.
    std::vector<Timeline*> timelines;
    std::vector<const Timeline*> retired; ///< Unusable; listed so that they are not reported as leaks.
};

Free& free_timelines() {
    static NoDestructor<Free> free;
    return *free;
}

} // namespace

QueueInterface::~QueueInterface() {
    if (!is_complete_) {
        timeline_.release(timeline_.base());
    }
}

Timeline& Timeline::acquire() {
    Free& free = free_timelines();
    const std::lock_guard lock(free.mutex);
    if (free.forks != fork_count()) { // A parent's buffer treats the queue that had one of them as known.
        free.forks = fork_count();
        free.timelines.clear();
    }
    if (free.timelines.empty()) {
        return *new Timeline;
    }
    Timeline& timeline = *free.timelines.back();
    free.timelines.pop_back();
    return timeline;
}

void Timeline::release(std::uint64_t last) noexcept {
    reach(last);
    {
        const std::lock_guard lock(mutex_);
        queue_.reset();
    }
    Free& free = free_timelines();
    const std::lock_guard lock(free.mutex);
    try {
        free.timelines.push_back(this);
    } catch (const std::exception&) { // It stays unused.
    }
}

void Timeline::retire(std::uint64_t last) noexcept {
    abandon(last);
    {
        const std::lock_guard lock(mutex_);
        queue_.reset();
    }
    Free& free = free_timelines();
    const std::lock_guard lock(free.mutex);
    try {
        free.retired.push_back(this);
    } catch (const std::exception&) { // It is not listed.
    }
}

void Timeline::abandon(std::uint64_t number) noexcept {
    std::uint64_t before = abandoned_.load(std::memory_order_relaxed); // A first guess; the exchange decides.
    while (before < number && !abandoned_.compare_exchange_weak(before, number, std::memory_order_release,
                                                                std::memory_order_relaxed)) {
    }
}

void Timeline::attach(std::weak_ptr<QueueInterface> queue, DeviceState& device) noexcept {
    device_.store(&device, std::memory_order_relaxed);
    const std::lock_guard lock(mutex_);
    queue_ = std::move(queue);
}

void Timeline::reach(std::uint64_t number) noexcept {
    std::uint64_t before = reached_.load(std::memory_order_relaxed); // A first guess; the exchange decides.
    while (before < number && !reached_.compare_exchange_weak(before, number, std::memory_order_release,
                                                              std::memory_order_relaxed)) {
    }
    if (is_watching.load(std::memory_order_relaxed)) [[unlikely]] {
        end_watch();
    }
}

std::shared_ptr<QueueInterface> Timeline::queue() const noexcept {
    const std::lock_guard lock(mutex_);
    return queue_.lock();
}

bool Timeline::is_of(const DeviceState& device) const noexcept {
    return device_.load(std::memory_order_relaxed) == &device;
}

void Timeline::poll() noexcept {
    if (const auto queue = this->queue()) {
        queue->look_for_progress();
    }
}

bool Timeline::wait(std::uint64_t number) noexcept {
    for (Backoff backoff; !has_reached(number) && !backend::process_is_exiting(); backoff.pause()) {
        poll();
        if (is_abandoned(number)) {
            return false;
        }
    }
    return true;
}

void Timeline::wait_for_task(std::uint64_t task) noexcept {
    const auto is_waiting = [&] {
        return carried_out_.load(std::memory_order_acquire) < task && !backend::process_is_exiting();
    };
    if (!is_waiting()) {
        return;
    }
    if (const auto queue = this->queue(); queue != nullptr && queue->is_on_backlog()) {
        return;
    }
    for (Backoff backoff; is_waiting();) {
        backoff.pause();
    }
}

std::uint64_t Timeline::last_to_wait_for(std::uint64_t number) const noexcept {
    if (has_reached(number)) {
        return number;
    }
    const auto queue = this->queue();
    return queue != nullptr && queue->is_on_backlog() ? std::min(number, queue->issued()) : number;
}

void add_mark(Marks& marks, const Mark& mark) {
    const auto same = std::find_if(marks.begin(), marks.end(),
                                   [&](const Mark& other) { return other.timeline == mark.timeline; });
    if (same == marks.end()) {
        marks.push_back(mark);
    } else {
        same->number = std::max(same->number, mark.number);
    }
}

void drop_reached(Marks& marks) noexcept {
    std::erase_if(marks, [](const Mark& mark) { return mark.is_reached(); });
}

bool wait_for(const Marks& marks) noexcept {
    bool done = true;
    for (const Mark& mark : marks) {
        done = mark.timeline->wait(mark.number) && done;
    }
    return done;
}

bool has_abandoned(const Marks& marks) noexcept {
    return std::any_of(marks.begin(), marks.end(), [](const Mark& mark) { return mark.is_abandoned(); });
}

bool is_clear_for(const Marks& marks, const Timeline* timeline) noexcept {
    return std::all_of(marks.begin(), marks.end(),
                       [&](const Mark& mark) { return mark.timeline == timeline || mark.is_reached(); });
}

} // namespace ferry::detail
