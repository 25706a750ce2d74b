// SPDX-License-Identifier: Apache-2.0
#include "base/copy_tuning.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace ferry::detail::staging {

Tuning& tuning() noexcept {
    static Tuning numbers;
    return numbers;
}

unsigned most_threads() noexcept {
    if (tuning().most_threads != 0) {
        return tuning().most_threads;
    }
    cpu_set_t usable;
    const int counted = sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 0;
    const unsigned processors =
        counted > 0 ? static_cast<unsigned>(counted) : std::thread::hardware_concurrency();
    return std::clamp(processors, 2U, 17U) - 1;
}

} // namespace ferry::detail::staging
