// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::trace {

/// Reports the start of a range of the calling thread to NVTX and ROCTX, if they are loaded. The result is
/// for end_range(). Zero: neither was notified.
unsigned begin_range(const char* name) noexcept;
void end_range(unsigned told) noexcept;
/// Whether one of them is loaded.
bool has_profiler() noexcept;

} // namespace ferry::trace
