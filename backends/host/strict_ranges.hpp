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
    enum class Use { any, filled }; // filled: a copy to it is all that the command does with it
    RangeInFlight(const void* data, std::size_t bytes, Use use = Use::any);
    RangeInFlight(const RangeInFlight&) = delete;
    RangeInFlight& operator=(const RangeInFlight&) = delete;
    ~RangeInFlight();

    /// No other command in flight uses any of its bytes.
    bool is_alone() const;
    /// Another command in flight copies to some of its bytes.
    bool is_filled_by_another() const;
    /// Changes with each range that comes into flight.
    static std::uint64_t count();

private:
    struct Range {
        std::uintptr_t begin, end;
        Use use;
    };
    std::list<Range>::iterator place_;
    friend struct RangeList;
};

} // namespace ferry::host
