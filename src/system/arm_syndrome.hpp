// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

namespace ferry::detail {

/// Whether the faulting access was a write, from the records in the frame of a signal on ARM64
/// (sigcontext::__reserved). Empty if the kernel added no record of the exception syndrome, or if that record
/// does not describe a data access. Safe in a signal handler.
inline std::optional<bool> is_write(const unsigned char* records, std::size_t bytes) noexcept {
    struct Head {
        std::uint32_t magic, size;
    };
    constexpr std::uint32_t syndrome_magic = 0x45535201; // ESR_MAGIC of <asm/sigcontext.h>.
    for (std::size_t at = 0; at + sizeof(Head) <= bytes;) {
        Head head{};
        std::memcpy(&head, records + at, sizeof head);
        if (head.magic == 0 || head.size < sizeof head || head.size > bytes - at) {
            return std::nullopt;
        }
        if (head.magic == syndrome_magic && head.size >= sizeof head + sizeof(std::uint64_t)) {
            std::uint64_t syndrome = 0;
            std::memcpy(&syndrome, records + at + sizeof head, sizeof syndrome);
            const std::uint64_t exception_class = syndrome >> 26 & 0x3f;
            if (exception_class != 0x24 && exception_class != 0x25) { // Data aborts.
                return std::nullopt;
            }
            return (syndrome & 1U << 6) != 0; // WnR: write, not read.
        }
        at += head.size;
    }
    return std::nullopt;
}

} // namespace ferry::detail
