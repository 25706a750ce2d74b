// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_order.hpp"

#include "base/no_destructor.hpp"
#include "strict/strict_ranges.hpp"

#include <algorithm>
#include <mutex>

namespace ferry::host {
namespace {

struct Queues {
    std::mutex mutex;
    std::vector<bool> alive;

    static Queues& get() {
        static detail::NoDestructor<Queues> queues;
        return *queues;
    }
};

std::size_t take_queue() {
    Queues& queues = Queues::get();
    const std::lock_guard lock(queues.mutex);
    const auto free = std::find(queues.alive.begin(), queues.alive.end(), false);
    const auto at = static_cast<std::size_t>(free - queues.alive.begin());
    if (free == queues.alive.end()) {
        queues.alive.push_back(true);
    } else {
        *free = true;
    }
    return at;
}

} // namespace

Order::Order() : queue_(take_queue()) {}

Order::~Order() {
    Queues& queues = Queues::get();
    const std::lock_guard lock(queues.mutex);
    queues.alive[queue_] = false;
}

Order::Known Order::now() const {
    Known known = known_;
    known.resize(std::max(known.size(), queue_ + 1));
    known[queue_] = RangeInFlight::count();
    return known;
}

void Order::wait(const Known& event) {
    known_.resize(std::max(known_.size(), event.size()));
    std::transform(event.begin(), event.end(), known_.begin(), known_.begin(),
                   [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

} // namespace ferry::host
