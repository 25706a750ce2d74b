// SPDX-License-Identifier: Apache-2.0
#include "host_exit.hpp"

#include "host_backend.hpp"
#include "system/fork.hpp"
#include "system/pause.hpp"

#include <atomic>
#include <chrono>

namespace ferry::host {
namespace {

std::atomic<bool> stop{false};
std::atomic<int> in_hand{0};
thread_local int in_hand_here = 0;

} // namespace

void watch_forks() noexcept {
    static const bool registered = ferry::detail::at_fork(
        nullptr, nullptr, [] { in_hand.store(in_hand_here); }); // The other threads belong to the parent.
    static_cast<void>(registered);
}

// Sequentially consistent with InHand and stop_at_exit(): either a thread that counts itself and then checks
// sees `stop`, or stop_at_exit() sees its count. A relaxed load could be reordered before the count.
bool stopping() noexcept {
    return stop.load();
}

InHand::InHand() noexcept {
    ++in_hand_here;
    in_hand.fetch_add(1);
}

InHand::~InHand() {
    in_hand.fetch_sub(1);
    --in_hand_here;
}

int in_hand_elsewhere() noexcept {
    return in_hand.load() - in_hand_here;
}

// The threads continue to run and drop their work. Threads that wait for them therefore continue, and no join
// is needed, which would hang if a kernel function called exit().
void stop_at_exit() noexcept {
    stop.store(true);
    detail::poll_until(detail::PollClock::now() + std::chrono::seconds(2), std::chrono::microseconds(50),
                       [] { return in_hand_elsewhere() <= 0; });
}

} // namespace ferry::host
