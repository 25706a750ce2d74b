// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry {

/// Where a buffer lives and who can reach it.
enum class MemoryKind : std::uint8_t {
    /// The device's own memory. The host reaches it by copies or a mapping.
    device,
    /// Page-locked host memory that the device can use too, over the bus where it is not on the same memory.
    /// The host reaches it directly. Copies to and from it are the fastest and truly asynchronous.
    host,
    /// One address for both sides: managed memory (CUDA, HIP), fine-grained SVM or shared USM (OpenCL).
    shared,
    /// The caller's own memory, used by the device where it lies: ferry/import.hpp. No Buffer has this kind.
    imported,
};

/// "device", "host", "shared" or "imported".
FERRY_API std::string_view to_string(MemoryKind kind) noexcept;

/// What a mapping will be used for.
enum class Map : std::uint8_t {
    read,       ///< the host reads; several read mappings may overlap
    write,      ///< the host writes some of the bytes; the others keep their values
    read_write, ///< the host reads and writes
    discard,    ///< the host writes every byte; what was there need not be brought over and is undefined
};

/// "read", "write", "read_write" or "discard".
FERRY_API std::string_view to_string(Map access) noexcept;

/// A device's memory at one moment, bytes.
struct MemoryInfo {
    std::uint64_t total = 0;
    /// Not in use by anybody, as the driver says; empty where the driver does not tell, as OpenCL's of NVIDIA
    /// does not. On the processor's own memory no more than the system has left. What Ferry's pool
    /// keeps (Device::pool()) counts as in use, and is there for Ferry's buffers all the same.
    std::optional<std::uint64_t> free;
    /// Allocated by this process through Ferry on this device, all kinds.
    std::uint64_t used_here = 0;
    /// The largest single allocation that the device accepts.
    std::uint64_t max_allocation = 0;
};

} // namespace ferry
