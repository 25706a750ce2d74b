// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cli {

/// Commands or calls with the same name.
struct TraceRow {
    std::string name;
    bool kernel = false;
    std::uint64_t count = 0;
    double total = 0;        ///< In microseconds.
    double longest = 0;      ///< In microseconds.
    std::uint64_t bytes = 0; ///< 0: not known, as for kernels.

    double mean() const noexcept { return count != 0 ? total / static_cast<double>(count) : 0; }
    /// In GB/s (1e9 bytes). 0 if no bytes or no time are known.
    double bandwidth() const noexcept { return total > 0 ? static_cast<double>(bytes) / total / 1e3 : 0; }
};

/// The activity of one device. Times are in microseconds since the start of the trace.
struct TraceDevice {
    std::string name; ///< "cuda:0 NVIDIA H200"
    std::size_t queues = 0;
    double first = 0, last = 0; ///< Start of the first command, end of the last one.
    double busy = 0;            ///< Time with at least one running command.
    double overlap = 0;         ///< Time with at least two running commands.
    double copy_beside = 0;     ///< Time with a running kernel and another command, such as a copy.
    double longest_idle = 0;    ///< The longest time between two commands.
    double longest_idle_at = 0;
    std::uint64_t failed = 0, unfinished = 0, untimed = 0; ///< Numbers of commands.
    std::vector<TraceRow> rows;                            ///< By descending total.

    double span() const noexcept { return last - first; }
    double idle() const noexcept { return span() - busy; }
};

struct TraceSummary {
    bool partial = false; ///< The process did not end normally, or is still running.
    std::string ended;    ///< The reason why the trace ended before the process. Empty: it did not.
    std::vector<TraceDevice> devices;
    std::vector<TraceRow> ranges; ///< ferry::Range of the program's threads, by descending total.
    std::vector<TraceRow> calls;  ///< The same for calls.
};

/// Reads a file written with FERRY_TRACE. Throws std::runtime_error if it is not such a file.
TraceSummary summarise_trace(const std::string& path);

} // namespace cli
