// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cstddef>

namespace ferry::detail {

/// Bytes of a page: 4096 on x86-64; 4096, 16384 or 65536 on ARM64, depending on the kernel's configuration.
inline std::size_t page_size() noexcept {
    return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); // Never fails.
}

} // namespace ferry::detail
