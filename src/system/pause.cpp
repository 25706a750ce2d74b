// SPDX-License-Identifier: Apache-2.0
#include "system/pause.hpp"

#include <thread>

namespace ferry::detail {

using std::chrono::microseconds;

void yield_thread() noexcept {
    std::this_thread::yield();
}

void sleep_thread(std::chrono::nanoseconds time) {
    std::this_thread::sleep_for(time);
}

void Backoff::pause() {
    const unsigned round = rounds_++;
    if (round < yields_) {
        yield_thread();
    } else {
        const unsigned slept = round - yields_;
        sleep_thread(slept < 200 ? microseconds(20) : slept < 800 ? microseconds(50) : microseconds(200));
    }
}

} // namespace ferry::detail
