// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Checks and copies of the caller's memory on the copy threads.
namespace ferry::detail::staging {

/// Throws Error (invalid_argument) with the bytes if they are known not to be readable: unmapped, without
/// read permission, or past the end of the mapped file. Memory whose state is unknown is accepted.
void check_readable(const void* from, std::size_t bytes);

/// The same for writing. Allocates missing pages together, which takes half as long as a page fault for each.
void prepare_for_writing(void* to, std::size_t bytes);

/// memcpy() for bytes that are not read again soon. Bypasses the caches if the processor supports it.
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept;

} // namespace ferry::detail::staging
