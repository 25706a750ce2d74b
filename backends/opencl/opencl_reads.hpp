// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opencl_event.hpp"
#include "opencl_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ferry::opencl {

/// Which of the host's ordinary memory the commands of a queue have yet to write, for drivers that take what
/// a small write reads when it is enqueued, and not in its turn (Traits::captures_writes; seen up to 64 KiB,
/// not at 256 KiB): a write behind a read into the same bytes would take old ones, so it is enqueued only
/// when the read is over. Page-locked memory is read in its turn. Batches that are packed take what is in
/// either when they are enqueued. Any thread.
class HostReads {
public:
    /// A write of that many bytes or more is not looked at.
    static constexpr std::size_t smallest_sound_write = std::size_t{256} << 10;

    /// `progress`: the queue's, which has this as long as it lives.
    explicit HostReads(const Progress& progress) : progress_(progress) {}

    /// Command number `command` writes there.
    void add(const void* memory, std::size_t bytes, Pages pages, std::uint64_t command);
    /// Whether a command that is not known to be done writes to any of these bytes, as far as they lie in
    /// such pages; `locked` are all.
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
    std::vector<Range> ranges_; ///< the oldest first
    std::atomic<std::uint64_t> newest_{0};
};

} // namespace ferry::opencl
