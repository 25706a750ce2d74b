// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fork.hpp"

#include <ferry/source_location.hpp>

#include <cstddef>
#include <string>

// The caller's memory, before a vendor sees it.
namespace ferry::detail {

struct PageFacts {
    bool writable = true;
    bool stack = false; ///< of the calling thread, or of the main one
};

/// "0x7f0012340000 to 0x7f0012350000 (65536 bytes)"
std::string describe_range(const void* data, std::size_t bytes);

/// Bytes of `count` elements at `data`. Throws Error (invalid_argument) for a null pointer, no elements, or a
/// range that wraps around. `what` begins the sentence: "The memory to import".
std::size_t check_extent(const char* what, const void* data, std::size_t count, std::size_t element,
                         SourceLocation where);
/// Whether a mapping is of a file, which may end before the mapping does, and of no device's memory. By the
/// name that /proc/self/maps has, as far as it is known.
bool is_file(const char* name) noexcept;

/// Where the process's mappings are looked up.
enum class Mappings {
    query, ///< one by one where the kernel can be asked (Linux 6.11), else as text
    text,  ///< the list of all of them
};
/// Throws Error (invalid_argument) naming the first bytes that are not mapped, not readable, or not writable
/// while `writes`, or past the end of a mapped file. From /proc/self/maps; where there is none, everything is
/// let pass.
PageFacts check_pages(const char* what, const void* data, std::size_t bytes, bool writes,
                      SourceLocation where, Mappings mappings = Mappings::query);

/// Gives back the rights to read and write of pages in the range that have none at all, as they are now:
/// others may have been unmapped, or be somebody else's.
void allow_again(const void* data, std::size_t bytes) noexcept;

/// The same of memory that was fine before. Throws Error (invalid_state) if some of it has been given back to
/// the system.
void check_still_mapped(const char* what, const void* data, std::size_t bytes, SourceLocation where);

} // namespace ferry::detail
