// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    std::size_t most_slots = 0; ///< never more than this; less than at first if the system refused memory
    unsigned threads = 0;       ///< copy threads that run now, for all devices of the process
    unsigned most_threads = 0;
    std::uint64_t copies = 0; ///< carried through the slots so far
    std::uint64_t bytes = 0;
    /// What the system refused and what was done instead, as a full sentence; empty if it refused nothing.
    std::string note;
};

/// Asks nothing of the driver. Thread-safe.
FERRY_API StagingInfo staging_info(const Device& device);

/// Gives back the page-locked slots of all devices and ends the copy threads, except those in use. The
/// library does so by itself a few seconds after the last copy that used them. Blocking; does not throw.
/// Thread-safe.
FERRY_API void trim_staging() noexcept;

} // namespace ferry
