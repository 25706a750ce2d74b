// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_event.hpp"
#include "opencl_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ferry::opencl {

/// Pageable host memory that the commands of a queue have yet to write, for drivers that read the source of a
/// small write when it is enqueued, and not in its turn (Traits::captures_writes; seen up to 64 KiB, not at
/// 256 KiB). A write after a read into the same bytes would use old data, so it is enqueued only when the
/// read is done. Page-locked memory is read in its turn. Packed batches read both kinds when they are
/// enqueued. Any thread may use it.
class HostReads {
public:
    /// A write of this many bytes or more is not checked.
    static constexpr std::size_t smallest_sound_write = std::size_t{256} << 10;

    /// `progress` belongs to the queue that owns this object.
    explicit HostReads(const Progress& progress) : progress_(progress) {}

    /// Command number `command` writes there.
    void add(const void* memory, std::size_t bytes, Pages pages, std::uint64_t command);
    /// Whether a command that is not known to be done writes to any of these bytes, as far as they have pages
    /// of the given kind. `locked` covers all.
    bool are_pending(const void* memory, std::size_t bytes, Pages pages) const;

private:
    struct Range {
        std::uintptr_t begin;
        std::uintptr_t end;
        std::uint64_t command;
        Pages pages;
    };
    const Progress& progress_;
    mutable std::mutex mutex_;
    std::vector<Range> ranges_; ///< The oldest first.
    std::atomic<std::uint64_t> newest_{0};
};

} // namespace ferry::opencl
