// SPDX-License-Identifier: Apache-2.0
// Compiles without FERRY_WRONG, but not if its value is an access that writes. A const span can be shared
// only for reading.
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
