// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

namespace ferry_double {

/// Large memory of the host's under FERRY_DOUBLE_LIE=uncached: whoever touches a page of it that is not among
/// the last few waits a while. Such pages cannot be given to the operating system.
class SlowPages {
public:
    static constexpr std::size_t smallest = 1 << 20; ///< bytes of an allocation that is slow

    static int allocate(std::size_t bytes, DeviceState& device, void** memory); ///< a HIP code
    static bool release(void* memory); ///< false: it is none of these
};

} // namespace ferry_double
