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

/// How the device accesses memory of a kind. Later enumerators are better.
enum class Reach : std::uint8_t {
    none,  ///< A kernel cannot use it.
    copy,  ///< A kernel works on a copy that the driver makes, explicitly or implicitly.
    link,  ///< A kernel works on it in place; every access crosses a bus or link.
    local, ///< A kernel works on it in place, in the memory closest to the device.
};

/// When one side sees the writes of the other side, if the commands are in order. Later enumerators are
/// better.
enum class Coherence : std::uint8_t {
    exclusive,       ///< The host must not access it while any kernel of the device runs, or not at all.
    map,             ///< After a mapping, an unmapping or a copy.
    kernel_boundary, ///< After the kernel has ended and before the next one begins.
    concurrent,      ///< While a kernel runs, with fences or atomics where order matters.
};

/// Which threads an atomic operation on it is atomic with. Later enumerators are better.
enum class Atomics : std::uint8_t {
    none,   ///< No guarantee.
    device, ///< Between the work-items of one device.
    system, ///< Between the device and the threads of the host.
};

/// The origin of an answer. Later enumerators are stronger.
enum class Confidence : std::uint8_t {
    unknown,  ///< There is no answer, or the measurement crashed or hung. The value is the conservative one.
    inferred, ///< Derived from other answers, or from the vendor's documentation of such devices.
    declared, ///< Reported by the driver.
    measured, ///< Shown by a memory test on this machine.
};

/// Whether something prevented the measurement of a fact.
enum class Interruption : std::uint8_t {
    none,   ///< It was measured, or needed no measurement, or `source` has another reason.
    late,   ///< The time for measuring ended before its test. The next measurement tries again.
    killed, ///< Its test ran too long and was killed. The value is the conservative one. The next measurement
            ///< tries again.
    crashed, ///< Its test crashed or hung. The value is the conservative one.
};

/// "none", "copy", "link" or "local".
FERRY_API std::string_view to_string(Reach reach) noexcept;
/// "exclusive", "map", "kernel_boundary" or "concurrent".
FERRY_API std::string_view to_string(Coherence coherence) noexcept;
/// "none", "device" or "system".
FERRY_API std::string_view to_string(Atomics atomics) noexcept;
/// "unknown", "inferred", "declared" or "measured".
FERRY_API std::string_view to_string(Confidence confidence) noexcept;
/// "none", "late", "killed" or "crashed".
FERRY_API std::string_view to_string(Interruption interruption) noexcept;

/// An answer and its origin.
template <class T>
struct Fact {
    T value{};
    Confidence confidence{};
    /// The query and its answer, or the measurement. For example "CU_DEVICE_ATTRIBUTE_INTEGRATED=0".
    std::string source;
    /// The answer of the driver, if a measurement disproved it; `value` is then the measured value. Otherwise
    /// empty.
    std::string declared;
    Interruption interruption = Interruption::none;
};

/// The capabilities of memory of one kind on one device. They are never a property of the device alone.
///
/// A measurement never raises a fact above the value that the driver declares, because a passed test is no
/// proof. It lowers a declared value that proves false, and it fills in facts for which the driver has no
/// answer.
struct MemoryCapabilities {
    MemoryKind kind{};
    /// Whether the device can use such memory. For MemoryKind::imported: whether memory of the caller can be
    /// imported.
    bool available = false;
    std::string why_not; ///< A full sentence if `available` is false, otherwise empty.
    Fact<Reach> reach;
    Fact<Coherence> coherence;
    Fact<Atomics> atomics;
    Fact<bool> same_address; ///< A pointer is valid both on the host and in a kernel.
    Fact<bool> migrates;     ///< Pages move to the side that accesses them.
    Fact<bool> host_cached;  ///< Reads by the host are cached, as for ordinary memory.
    /// Bytes per second at which a kernel reads up to 64 MiB with work-items on the whole device, launch and
    /// wait included. Always measured. 0 if there is no measurement.
    Fact<std::uint64_t> read_bandwidth;
    /// Nanoseconds of a load by one work-item from an unpredictable address that depends on the load before:
    /// the cost of following pointers. Always measured. 0 if there is no measurement.
    Fact<std::uint64_t> read_latency;
    /// Bytes. Every allocation starts at a multiple of this value. Imported memory is used in place only if
    /// it starts at such a multiple; if the value is the page size, the whole pages around the memory are
    /// imported. The strict host device rejects other imports. As on the host, element types have their own
    /// alignment.
    Fact<std::size_t> pointer_alignment;
    Fact<std::size_t> size_granularity; ///< Bytes. The same for sizes. 1 if every size is valid.
    Fact<std::size_t> max_size;         ///< Maximum bytes of one allocation. 0 if no limit is known.
};

/// How much work Device::capabilities() may do for its answer.
enum class Probe : std::uint8_t {
    declared, ///< Query drivers only. Initialises nothing and takes microseconds.
    cached,   ///< Use earlier measurements if there are any. Otherwise measure (about 2 s), in a child
              ///< process if possible.
    fresh,    ///< Measure now, and store the result for other processes.
};

} // namespace ferry
