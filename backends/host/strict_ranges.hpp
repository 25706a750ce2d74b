// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

namespace ferry::host {

/// Host memory that a command uses, from the call that enqueues it until it is over: the caller's own, or a
/// buffer of kind host. Who finds other bytes there than before asks whether another command may have written
/// them.
class RangeInFlight {
public:
    RangeInFlight(const void* data, std::size_t bytes);
    RangeInFlight(const RangeInFlight&) = delete;
    RangeInFlight& operator=(const RangeInFlight&) = delete;
    ~RangeInFlight();

    /// No other command in flight uses any of its bytes.
    bool is_alone() const;
    /// Changes with each range that comes into flight.
    static std::uint64_t count();

private:
    struct Range {
        std::uintptr_t begin, end;
    };
    std::list<Range>::iterator place_;
    friend struct RangeList;
};

} // namespace ferry::host
