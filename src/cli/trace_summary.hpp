// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cli {

/// Commands, or calls, of one name.
struct TraceRow {
    std::string name;
    bool kernel = false;
    std::uint64_t count = 0;
    double total = 0;        ///< microseconds
    double longest = 0;      ///< microseconds
    std::uint64_t bytes = 0; ///< 0: no bytes are known, as of kernels

    double mean() const noexcept { return count != 0 ? total / static_cast<double>(count) : 0; }
    /// GB/s (1e9 bytes); 0 if it has no bytes or took no time.
    double bandwidth() const noexcept { return total > 0 ? static_cast<double>(bytes) / total / 1e3 : 0; }
};

/// What one device did. Times are microseconds since the trace began.
struct TraceDevice {
    std::string name; ///< "cuda:0 NVIDIA H200"
    std::size_t queues = 0;
    double first = 0, last = 0; ///< the first command begins, the last one ends
    double busy = 0;            ///< at least one command runs
    double overlap = 0;         ///< at least two commands run at the same time
    double copy_beside = 0;     ///< a kernel and another command, such as a copy, run at the same time
    double longest_idle = 0;    ///< the longest time without a command between two commands
    double longest_idle_at = 0;
    std::uint64_t failed = 0, unfinished = 0, untimed = 0; ///< commands
    std::vector<TraceRow> rows;                            ///< the longest total first

    double span() const noexcept { return last - first; }
    double idle() const noexcept { return span() - busy; }
};

struct TraceSummary {
    bool partial = false; ///< the process did not end as it should, or still runs
    std::string ended;    ///< why the trace ended before the process; empty: it did not
    std::vector<TraceDevice> devices;
    std::vector<TraceRow> ranges; ///< ferry::Range of the program's threads, the longest total first
    std::vector<TraceRow> calls;  ///< the same for calls
};

/// Reads a file that FERRY_TRACE has written. Throws std::runtime_error if it is no such file.
TraceSummary summarise_trace(const std::string& path);

} // namespace cli
