// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/export.hpp>
#include <ferry/memory.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ferry {

/// How the device gets at memory of a kind. Later is better.
enum class Reach : std::uint8_t {
    none,  ///< a kernel cannot use it
    copy,  ///< a kernel works on a copy that the driver makes, asked or not
    link,  ///< a kernel works on it in place; every access crosses a bus or link
    local, ///< a kernel works on it in place, in the memory chips that the device has closest
};

/// When one side sees what the other one wrote, given that the commands are in order. Later is better.
enum class Coherence : std::uint8_t {
    exclusive,       ///< the host must not touch it while any kernel of the device runs, or not at all
    map,             ///< after a mapping, an unmapping or a copy
    kernel_boundary, ///< after the kernel, and before the next one begins
    concurrent,      ///< while a kernel runs, with fences or atomics where order matters
};

/// Which atomic operations on it hold between whom. Later is better.
enum class Atomics : std::uint8_t {
    none,   ///< none are promised
    device, ///< between the work-items of one device
    system, ///< between the device and the host's threads too
};

/// Where an answer comes from. Later is stronger.
enum class Confidence : std::uint8_t {
    unknown,  ///< nobody said, or what measured it crashed or hung; the value is the careful one
    inferred, ///< follows from other answers, or from what the vendor documents of such devices
    declared, ///< the driver answered exactly this
    measured, ///< a litmus test showed it on this machine
};

/// "none", "copy", "link" or "local".
FERRY_API std::string_view to_string(Reach reach) noexcept;
/// "exclusive", "map", "kernel_boundary" or "concurrent".
FERRY_API std::string_view to_string(Coherence coherence) noexcept;
/// "none", "device" or "system".
FERRY_API std::string_view to_string(Atomics atomics) noexcept;
/// "unknown", "inferred", "declared" or "measured".
FERRY_API std::string_view to_string(Confidence confidence) noexcept;

/// One answer, and how it is known.
template <class T>
struct Fact {
    T value{};
    Confidence confidence{};
    /// What was asked and answered, or measured: "CU_DEVICE_ATTRIBUTE_INTEGRATED=0".
    std::string source;
    /// What the driver said, if a measurement disproved it; `value` is then what was measured. Else empty.
    std::string declared;
};

/// What can be done with memory of one kind on one device: never a property of the device alone.
///
/// A measurement can only take away: it lowers what a driver promised and was found wrong, and fills in what
/// nobody said. It never makes more of a fact than the driver declares, because a test that passes has only
/// not failed yet.
struct MemoryCapabilities {
    MemoryKind kind{};
    /// Whether the device can use such memory. For MemoryKind::imported: pages of the caller's can be taken.
    bool available = false;
    std::string why_not; ///< a whole sentence where `available` is false; else empty
    Fact<Reach> reach;
    Fact<Coherence> coherence;
    Fact<Atomics> atomics;
    Fact<bool> same_address; ///< a pointer means the same on the host and in a kernel
    Fact<bool> migrates;     ///< pages move to who touches them
    Fact<bool> host_cached;  ///< the host's reads go through its caches, as those of ordinary memory
    /// Bytes per second that a kernel reads of up to 64 MiB with work-items all over the device, its launch
    /// and wait included. Only measurements tell; 0: none did.
    Fact<std::uint64_t> read_bandwidth;
    /// Nanoseconds of a work-item's load, from somewhere in such memory, that needs what the one before
    /// loaded: what a program waits for that follows pointers. Only measurements tell; 0: none did.
    Fact<std::uint64_t> read_latency;
    /// Bytes. Every allocation begins at a multiple of it; memory is imported in place only from such an
    /// address on, or, where that is a page, with the whole pages that it lies in. The strict host device
    /// refuses other imports. A kernel's types want their own alignment, as on the host.
    Fact<std::size_t> pointer_alignment;
    Fact<std::size_t> size_granularity; ///< bytes; the same of sizes; 1 where any size will do
    Fact<std::size_t> max_size;         ///< bytes of one allocation; 0: no limit is known
};

/// How much Device::capabilities() may do for its answer.
enum class Probe : std::uint8_t {
    declared, ///< asks drivers only; initialises nothing, microseconds
    cached,   ///< takes what was measured before; else measures (about 2 s), in a child process if it can
    fresh,    ///< measures now, and keeps the result for the others
};

} // namespace ferry
