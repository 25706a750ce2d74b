// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace ferry::detail {

/// Gives back page-locked memory of the library that no copy has used for `unused`, before an allocation is
/// tried again, or when the copy threads are idle. Returns true if none is left. Makes vendor calls unless
/// the process ends.
bool trim_staging(std::chrono::steady_clock::duration unused) noexcept;
/// Called by the owner of that memory (src/staging) when it allocates some.
void set_staging_trim(bool (*trim)(std::chrono::steady_clock::duration unused) noexcept) noexcept;

} // namespace ferry::detail
