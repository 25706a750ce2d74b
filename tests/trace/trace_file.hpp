// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trace_test {

/// A slice: a command in the row of its queue, or a call in the row of its thread.
struct Slice {
    std::string name;
    double start = 0; ///< in microseconds
    double end = 0;
    nlohmann::json arguments;
};

/// One end of an arrow.
struct Arrow {
    std::uint64_t process = 0;
    std::uint64_t row = 0;
    double time = 0;
};

/// A trace as a viewer reads it. The constructor throws if the file is not JSON, or if an event lacks a field
/// that its kind requires.
struct TraceFile {
    using Row = std::pair<std::uint64_t, std::uint64_t>; ///< process (or device) and thread (or queue)

    explicit TraceFile(const std::filesystem::path& file);

    /// The rows of one device's queues, found by the device's id, in the order of their creation.
    std::vector<Row> queues(const std::string& device) const;

    std::map<Row, std::vector<Slice>> slices; ///< in the file's order
    std::map<Row, std::string> rows;          ///< names
    std::map<std::uint64_t, std::string> groups;
    std::map<std::string, std::vector<Arrow>> begins; ///< by the arrow's id
    std::map<std::string, std::vector<Arrow>> ends;
    std::map<Row, std::vector<double>> calibrations; ///< errors, microseconds
    std::string reason;                              ///< why the trace ended before the process, if it did
};

/// Returns the slices of a row after general checks: they are in order, not nested, numbered without a gap,
/// and each has an arrow from a call of a thread.
const std::vector<Slice>& commands(const TraceFile& trace, const TraceFile::Row& row);

} // namespace trace_test
