// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/memory.hpp>
#include <ferry/source_location.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ferry::detail {
class Memory;
}

namespace ferry::detail::race {

/// The facts about a buffer's memory that the checker needs.
struct Subject {
    MemoryKind kind{};
    const std::byte* host = nullptr; ///< The host address of the first byte, or null.
    std::size_t bytes = 0;
    bool freed_here = false; ///< Its end frees the bytes.
};

// src/memory implements these functions.
Subject subject_of(const Memory& memory) noexcept;
std::string device_of(const Memory& memory); ///< "host:0".
/// Prevents another Memory at its address.
std::weak_ptr<const Memory> owner_of(const Memory& memory) noexcept;

/// The checks of memory that shares use. `check` throws Error (invalid_state) if a command uses such memory
/// directly, and would read outdated bytes or write bytes that the share does not track. `freed` notes that a
/// buffer with such memory was destroyed.
struct ShareChecks {
    void (*check)(const std::string& what, std::uintptr_t begin, std::uintptr_t end, bool writes,
                  SourceLocation where);
    void (*freed)(const std::string& buffer, std::uintptr_t begin, std::uintptr_t end) noexcept;
};
/// Called by src/share before its first share.
void set_share_checks(const ShareChecks& checks) noexcept;

} // namespace ferry::detail::race
