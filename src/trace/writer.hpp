// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/trace_place.hpp"

#include <ferry/error.hpp>
#include <ferry/source_location.hpp>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::trace {

/// The trace file. It is complete JSON after every flush, so that a killed process leaves a readable trace in
/// NAME.partial. Thread-safe. Memory: one buffer of at most flush_bytes and an event.
class Writer {
public:
    /// failure() is set if the file cannot be created.
    Writer(const std::string& file, SourceLocation where);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    const std::optional<Error>& failure() const noexcept { return failure_; }
    /// Whether the reason is a full disk.
    bool full() const noexcept { return full_; }

    /// A JSON object.
    void add(std::string_view event) noexcept;
    void flush() noexcept;
    /// Flushes, and gives the file its final name. Nothing is written afterwards.
    void finish() noexcept;
    /// Writes nothing after this call: in the child of a fork, because the file belongs to its parent.
    void abandon() noexcept;

private:
    static constexpr std::size_t flush_bytes = std::size_t{256} << 10;

    void write_out() noexcept;
    void end_here(int error) noexcept;
    void cut() noexcept;

    std::mutex mutex_;
    TracePlace place_;
    std::optional<Error> failure_;
    std::string buffer_;
    std::uint64_t end_ = 0; ///< Of the last event in the file; the closing brackets follow.
    std::int64_t flushed_ = 0;
    bool first_ = true;
    bool abandoned_ = false;
    bool full_ = false;
};

/// The open trace, or null.
Writer* writer() noexcept;

/// `text` as a JSON string, with its quotes. Bytes that are not UTF-8 are replaced.
std::string json_string(std::string_view text);
/// A time of now() in the trace's unit, microseconds since its start.
std::string stamp(std::int64_t time);
/// `name`, `ph`, `pid`, `tid` and `ts` of an event, without the closing brace.
std::string head(std::string_view name, char phase, std::uint64_t process, std::uint64_t thread,
                 std::int64_t time);
/// A metadata event that names a row or a group of rows.
void name_row(const char* what, std::uint64_t process, std::uint64_t thread, const std::string& name);
/// The calling thread's id, after naming its row. Only while active.
std::uint64_t this_thread();
std::uint64_t this_process() noexcept;
/// "file.cpp:12".
std::string place(const SourceLocation& where);

} // namespace ferry::trace
