// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ferry {

/// The state of staged copies between pageable memory and one device.
///
/// If a device is on a bus, its driver copies pageable memory with one thread through a small page-locked
/// buffer. Ferry instead copies large ranges through page-locked slots, which several threads fill and empty
/// while the device copies. This is automatic; no call is needed. FERRY_STAGING (docs/environment.md) turns
/// it off, or on for every copy.
///
/// If a range is not readable or writable memory, its copy fails (invalid_argument, with the address).
/// docs/design/staging.md lists the cases that can and cannot be detected.
struct StagingInfo {
    std::size_t slots = 0;      ///< Number of page-locked slots held now.
    std::size_t slot_bytes = 0; ///< Size of one slot, in bytes.
    /// The origin of slot_bytes. After Device::capabilities() has measured this device: "measured: with 1 MiB
    /// 31.8 GB/s up and 36.7 down, with 2 MiB ...". Otherwise "default: ...".
    std::string slot_bytes_source;
    std::size_t most_slots = 0; ///< Maximum number of slots. It decreases if the system refused memory.
    unsigned threads = 0;       ///< Number of copy threads that run now, for all devices of the process.
    unsigned most_threads = 0;
    /// The origin of the number of threads. After Device::capabilities() has measured this machine:
    /// "measured: 1 thread copies 11.2 GB/s, 2 copy 21.5 GB/s, ...". Otherwise "default: ...".
    std::string most_threads_source;
    std::uint64_t copies = 0; ///< Number of copies through the slots so far.
    std::uint64_t bytes = 0;
    /// A resource that the system refused, and the alternative used, as a full sentence. Empty if there was
    /// none.
    std::string note;
};

/// Returns the present state. Does not call the driver. Thread-safe.
FERRY_API StagingInfo staging_info(const Device& device);

/// Allocates the page-locked slots of the device now. Use it if the first large copies must be as fast as
/// later ones, or to find out how much memory the system grants. Takes some milliseconds and up to 64 MiB, or
/// up to 256 MiB if that was measured to be faster. Unused slots are released as usual.
///
/// Does nothing for devices that do not benefit from staging, such as processors. Ignores FERRY_STAGING,
/// because files use the slots too. A refused allocation is not an error: it is described in the returned
/// note. Blocking. Thread-safe.
FERRY_API StagingInfo prepare_staging(const Device& device);

/// Releases the page-locked slots of all devices and ends the copy threads, except those in use. The library
/// does this automatically a few seconds after the last copy that used them. Blocking. Does not throw.
/// Thread-safe.
FERRY_API void trim_staging() noexcept;

} // namespace ferry
