// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace conformance {

/// Counts, between its start and stop(), the heap allocations made by code of this executable (the library is
/// linked into it), on any thread, also those made for it by the C++ library. What a vendor's library
/// allocates on its own account does not count.
class HeapCount {
public:
    HeapCount();
    HeapCount(const HeapCount&) = delete;
    HeapCount& operator=(const HeapCount&) = delete;
    ~HeapCount() { stop(); }

    unsigned long stop() noexcept;
    /// Where the first few came from.
    static std::string describe();
};

} // namespace conformance
