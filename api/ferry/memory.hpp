// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry {

/// The location of a buffer, and the sides that can access it.
enum class MemoryKind : std::uint8_t {
    /// The device's own memory. The host accesses it through copies or a mapping.
    device,
    /// Page-locked host memory that the device can also use, over the bus unless both share the same memory.
    /// The host accesses it directly. Copies to and from it are the fastest ones and fully asynchronous.
    host,
    /// Memory with one address for both sides: managed memory (CUDA, HIP), fine-grained SVM or shared USM
    /// (OpenCL).
    shared,
    /// Memory of the caller that the device uses in place: see ferry/import.hpp. No Buffer has this kind.
    imported,
};

/// "device", "host", "shared" or "imported".
FERRY_API std::string_view to_string(MemoryKind kind) noexcept;

/// The purpose of a mapping.
enum class Map : std::uint8_t {
    read,       ///< The host reads. Several read mappings may overlap.
    write,      ///< The host writes some of the bytes. All other bytes keep their values.
    read_write, ///< The host reads and writes.
    discard,    ///< The host writes every byte. The old contents are not transferred and are undefined.
};

/// "read", "write", "read_write" or "discard".
FERRY_API std::string_view to_string(Map access) noexcept;

/// The alignment of every buffer in bytes, on every device and for every memory kind, both in kernels and for
/// the host (in a mapping or a span). Memory from the vendors is aligned to at least 128 bytes.
inline constexpr std::size_t max_element_alignment = 64;

/// The memory of a device at one moment, in bytes.
struct MemoryInfo {
    std::uint64_t total = 0;
    /// Memory that is not in use by any process, as reported by the driver. Empty if the driver does not
    /// report it (NVIDIA's OpenCL). For the processor's own memory, at most the amount that the system has
    /// available. Memory that Ferry's pool keeps (Device::pool()) counts as in use, although Ferry's buffers
    /// can use it.
    std::optional<std::uint64_t> free;
    /// Allocated by this process through Ferry on this device, all kinds together.
    std::uint64_t used_here = 0;
    /// The largest single allocation that the device accepts.
    std::uint64_t max_allocation = 0;
};

} // namespace ferry
