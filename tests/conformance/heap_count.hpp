// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conformance {

/// Counts the heap allocations, between its construction and stop(), made by code of this executable on any
/// thread. The library is linked into the executable. Allocations that the C++ library makes for this code
/// count too. A vendor library's own allocations do not.
class HeapCount {
public:
    HeapCount();
    HeapCount(const HeapCount&) = delete;
    HeapCount& operator=(const HeapCount&) = delete;
    ~HeapCount() { stop(); }

    unsigned long stop() noexcept;
    /// Describes the origin of the first few allocations.
    static std::string describe();
};

} // namespace conformance
