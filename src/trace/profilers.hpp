// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::trace {

/// Tells NVTX and ROCTX, as far as they are there, that a range of the calling thread begins. The result is
/// for end_range(); zero: nobody was told.
unsigned begin_range(const char* name) noexcept;
void end_range(unsigned told) noexcept;
/// Whether one of them is there.
bool has_profiler() noexcept;

} // namespace ferry::trace
