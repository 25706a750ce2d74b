// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/device.hpp>
#include <ferry/export.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ferry {

/// How copies of ordinary memory reach one device.
///
/// Where a device is on a bus, its driver moves ordinary (pageable) memory with one thread through a small
/// page-locked buffer of its own. Ferry carries such copies, if they are large, through page-locked slots
/// that several threads fill and empty while the device copies. That is the library's affair: nothing has to
/// be called for it. FERRY_STAGING (docs/environment.md) switches it off, or on for every copy.
///
/// A range that turns out not to be memory that can be read or written fails its copy (invalid_argument, with
/// the address). What can be found out in time and what cannot stands in docs/design/staging.md.
struct StagingInfo {
    std::size_t slots = 0;      ///< page-locked slots that are held now
    std::size_t slot_bytes = 0; ///< bytes of one of them
    /// Where that size comes from: "measured: with 1 MiB 31.8 GB/s up and 36.7 down, with 2 MiB ..." once
    /// Device::capabilities() has measured this device, else "default: ...".
    std::string slot_bytes_source;
    std::size_t most_slots = 0; ///< never more than this; less than at first if the system refused memory
    unsigned threads = 0;       ///< copy threads that run now, for all devices of the process
    unsigned most_threads = 0;
    /// Where that number comes from: "measured: 1 thread copies 11.2 GB/s, 2 copy 21.5 GB/s, ..." once
    /// Device::capabilities() has measured this machine, else "default: ...".
    std::string most_threads_source;
    std::uint64_t copies = 0; ///< carried through the slots so far
    std::uint64_t bytes = 0;
    /// What the system refused and what was done instead, as a full sentence; empty if it refused nothing.
    std::string note;
};

/// Asks nothing of the driver. Thread-safe.
FERRY_API StagingInfo staging_info(const Device& device);

/// Makes the page-locked slots of the device now, as the copies of a while would: for a program that wants
/// its first large copies as fast as the later ones, or wants to know what the system grants. Takes some
/// milliseconds and up to 64 MiB, as many as 256 where that was measured to be faster, which go back like any
/// slots if no copy comes. Does nothing for devices that do not gain from staging, so for processors;
/// FERRY_STAGING is not asked, since files use the slots too. What the system refuses is no error: it stands
/// in the note that this returns. Blocking; thread-safe.
FERRY_API StagingInfo prepare_staging(const Device& device);

/// Gives back the page-locked slots of all devices and ends the copy threads, except those in use. The
/// library does so by itself a few seconds after the last copy that used them. Blocking; does not throw.
/// Thread-safe.
FERRY_API void trim_staging() noexcept;

} // namespace ferry
