// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace ferry::trace {

/// Whether calls and commands are being traced. If off, each check costs one predictable branch. Relaxed: a
/// caller that sees true calls writer(), which acquires and may return null.
extern constinit std::atomic<bool> on;
inline bool active() noexcept {
    return on.load(std::memory_order_relaxed);
}

/// Opens the file named by FERRY_TRACE at the first call of the process; later calls do nothing. Throws Error
/// (invalid_argument) if it cannot be written, at each call; only once if the disk is full.
void start(SourceLocation where);

/// The host's clock, in nanoseconds. Device times are converted to it.
std::int64_t now() noexcept;

/// A call of the API, or other work of a host thread, as a slice in the row of its thread. `name` is a
/// literal; `where` must outlive the object.
class Span {
public:
    Span(const char* name, const SourceLocation& where) noexcept {
        if (active()) [[unlikely]] {
            name_ = name;
            where_ = &where;
            begin_ = now();
        }
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    ~Span() {
        if (name_ != nullptr) [[unlikely]] {
            end();
        }
    }

private:
    void end() const noexcept;

    const char* name_ = nullptr;
    const SourceLocation* where_ = nullptr;
    std::int64_t begin_ = 0;
};

/// A slice of the category `range`, from `begin` to now, in the row of the calling thread.
void write_range(const std::string& name, const SourceLocation& where, std::int64_t begin) noexcept;

/// For tests: writes everything traced so far to the file.
void flush();
/// Ends tracing and completes the file, at process exit, before a vendor's library may be unloaded.
void finish_at_exit() noexcept;
/// Set by the traces of queues: writes their commands. Called first at process exit.
extern constinit std::atomic<void (*)() noexcept> finish_queues;

} // namespace ferry::trace
