// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::trace {

/// Reports the start of a range of the calling thread to a profiler that uses NVTX, and to ROCTX if its
/// library is loaded. The result is for end_range(). Zero: neither was notified.
unsigned begin_range(const char* name) noexcept;
void end_range(unsigned told) noexcept;
/// Whether one of them is present.
bool has_profiler() noexcept;

} // namespace ferry::trace
