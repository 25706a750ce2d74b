// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// The caller's memory, as the copy threads meet it.
namespace ferry::detail::staging {

/// Throws Error (invalid_argument) naming the bytes if they are known not to be readable: unmapped, without
/// read permission, or beyond the end of the file they map. What the system does not tell is let pass.
void check_readable(const void* from, std::size_t bytes);

/// The same for writing. Pages that are not there yet are made, all at once: that costs half of touching them
/// one by one.
void prepare_for_writing(void* to, std::size_t bytes);

/// memcpy for bytes that are not read again soon from a cache: past it, where the processor can.
void stream_copy(void* to, const void* from, std::size_t bytes) noexcept;

} // namespace ferry::detail::staging
