// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "strict/strict_order.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

namespace ferry::host {

/// Host memory that a command uses, from the call that enqueues it until its end: the caller's own, or a
/// buffer of kind host. If bytes have changed unexpectedly, this tells whether another command may have
/// written them.
class RangeInFlight {
public:
    /// may_: by a launch, which need not use all of it, and may read bytes that it writes.
    enum class Use { read, written, may_be_read, may_be_written };
    /// An earlier command of another queue. The two have no order, and one writes bytes that the other uses.
    struct Conflict {
        std::string command;
        bool writes = false;
        std::size_t begin = 0, end = 0; ///< In this range.
    };

    /// `command`: the operation, in words.
    RangeInFlight(const void* data, std::size_t bytes, Use use, const Order& order, std::string command);
    RangeInFlight(const RangeInFlight&) = delete;
    RangeInFlight& operator=(const RangeInFlight&) = delete;
    ~RangeInFlight();

    /// No other command in flight uses any of its bytes.
    bool is_alone() const;
    /// Another command in flight writes, or may write, to some of its bytes.
    bool is_filled_by_another() const;
    /// Only for the queue of this order, in the call that enqueues the command.
    std::optional<Conflict> conflict(const Order& order) const;
    /// The number of ranges that have been in flight. It changes with each new one.
    static std::uint64_t count();

private:
    struct Range {
        std::uintptr_t begin, end;
        Use use;
        std::size_t queue;
        std::uint64_t number;
        std::string command;
    };
    std::list<Range>::iterator place_;
    friend struct RangeList;
};

} // namespace ferry::host
