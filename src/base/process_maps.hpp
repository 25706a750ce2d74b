// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/fork.hpp"
#include "system/mappings.hpp"

#include <ferry/source_location.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

// Checks of the caller's memory, before a vendor sees it.
namespace ferry::detail {

struct PageFacts {
    bool writable = true;
    bool stack = false; ///< Of the calling thread, or of the main one.
};

/// "0x7f0012340000 to 0x7f0012350000 (65536 bytes)".
std::string describe_range(const void* data, std::size_t bytes);

/// Bytes of `count` elements at `data`. Throws Error (invalid_argument) for a null pointer, no elements, or a
/// range that wraps around. `what` begins the sentence: "The memory to import".
std::size_t check_extent(const char* what, const void* data, std::size_t count, std::size_t element,
                         SourceLocation where);
/// Throws Error (invalid_argument) with the first bytes that are not mapped, not readable, not writable
/// although `writes`, or past the end of a mapped file. Uses /proc/self/maps; without it, everything is
/// accepted.
PageFacts check_pages(const char* what, const void* data, std::size_t bytes, bool writes,
                      SourceLocation where, Mappings mappings = Mappings::query);

/// The pages that Ferry itself protects at present.
struct OwnProtection {
    bool (*covers)(std::uintptr_t begin,
                   std::uintptr_t end);  ///< Whether all of these addresses are protected.
    std::uint64_t (*changes)() noexcept; ///< A number that changes whenever pages are protected or released.
};
/// Called by the module that protects pages (src/share), before it does.
void set_own_protection(const OwnProtection& protection) noexcept;

/// Restores read and write access to those pages of the range that have no access at all now. Other pages may
/// have been unmapped, or belong to other code.
void allow_again(const void* data, std::size_t bytes) noexcept;

/// The same for memory that was valid before. Throws Error (invalid_state) if some of it has been returned to
/// the system.
void check_still_mapped(const char* what, const void* data, std::size_t bytes, SourceLocation where);

} // namespace ferry::detail
