// SPDX-License-Identifier: Apache-2.0
#include "base/copy_tuning.hpp"

#include "system/machine.hpp"

#include <algorithm>

namespace ferry::detail::staging {

Tuning& tuning() noexcept {
    static Tuning numbers;
    return numbers;
}

unsigned most_threads() noexcept {
    if (tuning().most_threads != 0) {
        return tuning().most_threads;
    }
    return std::clamp(host::usable_processors(), 2U, 17U) - 1;
}

} // namespace ferry::detail::staging
