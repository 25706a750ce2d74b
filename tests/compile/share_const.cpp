// SPDX-License-Identifier: Apache-2.0
// Compiles without FERRY_WRONG, and does not with an intent that writes as its value: a const span is only
// shared for reading.
#include <ferry/share.hpp>

#include <span>

void share_it(const ferry::Device& device, std::span<const int> span) {
#ifdef FERRY_WRONG
    auto shared = ferry::share(device, span, ferry::Access::FERRY_WRONG);
#else
    auto shared = ferry::share(device, span, ferry::Access::device_reads);
#endif
    static_cast<void>(shared);
}
