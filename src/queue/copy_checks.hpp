// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>
#include <ferry/view.hpp>

#include <cstddef>

// Checks common to the commands of a queue.
namespace ferry::detail {

class QueueState;

/// Throws Error (invalid_argument) if host memory is given by a null pointer. `what`: "The source".
void check_host(const void* data, std::size_t bytes, const char* what, const SourceLocation& where);
[[noreturn]] void throw_sizes(std::size_t from, std::size_t to, std::size_t element,
                              const SourceLocation& where);
[[noreturn]] void throw_overlap(const Region& from, const Region& to, const SourceLocation& where);

[[noreturn]] void throw_moved(const char* what, const SourceLocation& where);

/// Throws Error (invalid_state) if the region belongs to a moved-from buffer. `what`: "The source of the
/// copy".
inline void check_moved(const Region& region, const char* what, const SourceLocation& where) {
    if (region.offset == moved_from) [[unlikely]] {
        throw_moved(what, where);
    }
}
/// Throws Error (invalid_argument) unless both ends of a copy have the same number of bytes.
inline void check_sizes(std::size_t from, std::size_t to, std::size_t element, const SourceLocation& where) {
    if (from != to) [[unlikely]] {
        throw_sizes(from, to, element, where);
    }
}
/// Throws Error (invalid_argument) if the region is on another device than the queue. `what` begins the
/// sentence: "The source of the copy".
void check_here(const QueueState& queue, const Region& region, const char* what, const SourceLocation& where);
/// Throws Error (invalid_argument) unless one of two devices is the queue's, Error (device_lost) if one is
/// lost.
void check_devices(const QueueState& queue, const Region& from, const Region& to,
                   const SourceLocation& where);
/// Throws Error (invalid_argument) if two ranges of one buffer share a byte.
inline void check_overlap(const Region& from, const Region& to, const SourceLocation& where) {
    if (from.memory == to.memory && from.offset < to.offset + to.bytes &&
        to.offset < from.offset + from.bytes) [[unlikely]] {
        throw_overlap(from, to, where);
    }
}
/// Throws Error (invalid_argument) unless a pattern of that size can fill the region.
void check_pattern(const Region& to, std::size_t size, const SourceLocation& where);

} // namespace ferry::detail
