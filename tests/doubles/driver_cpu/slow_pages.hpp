// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory.hpp"

namespace ferry_double {

/// Large host memory under FERRY_DOUBLE_LIE=uncached. The first access to a page that was not used recently
/// is slow. Such pages cannot be passed to system calls.
class SlowPages {
public:
    static constexpr std::size_t smallest = 1 << 20; ///< the smallest slow allocation, in bytes

    static int allocate(std::size_t bytes, DeviceState& device, void** memory); ///< returns a HIP code
    static bool release(void* memory);                                          ///< false: not slow memory
};

} // namespace ferry_double
