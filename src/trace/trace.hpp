// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/source_location.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace ferry::trace {

/// Whether calls and commands are being traced. Off, it costs one predictable branch where it is asked.
/// Relaxed: who sees it asks writer(), which acquires and may be null.
extern constinit std::atomic<bool> on;
inline bool active() noexcept {
    return on.load(std::memory_order_relaxed);
}

/// Opens the file that FERRY_TRACE names, with the first call of the process; later ones do nothing. Throws
/// Error (invalid_argument) if it cannot be written, and again at each call; once if the disk is full.
void start(SourceLocation where);

/// The host's clock, nanoseconds. Device times are put on it.
std::int64_t now() noexcept;

/// A call of the API, or what else a host thread does, as a slice in the row of its thread. `name` is a
/// literal; `where` outlives it.
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

/// Everything traced so far is in the file. For tests.
void flush();
/// Ends tracing and completes the file: at the end of the process, before a vendor's library may be gone.
void finish_at_exit() noexcept;

} // namespace ferry::trace
