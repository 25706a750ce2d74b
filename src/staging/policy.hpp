// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/copy_tuning.hpp"
#include "base/settings.hpp"

#include <cstddef>
#include <string>

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::staging {

struct ThreadLimit {
    unsigned threads = 0;
    std::string source; ///< where the number comes from
};
/// What Tuning says; else the fewest of most_threads() that copy as fast as any number, where that was
/// measured; else eight of them, which filled a PCIe 5 bus. Looks into the cache on disk once.
ThreadLimit thread_limit();

struct SlotSize {
    std::size_t bytes = 0;
    std::string source; ///< where the number comes from
};
/// What Tuning says; else the smallest with which large copies of that device are as fast as with any, where
/// that was measured; else 4 MiB. Looks into the cache on disk once.
SlotSize slot_size(DeviceState* device);

/// Bytes up to which a copy of ordinary memory is left to the device's driver: `above` if the device gains
/// from staging, everything if not, nothing for Staging::on.
std::size_t straight(DeviceState& device, Staging mode, std::size_t above) noexcept;

/// Gives the copy threads their limit, and the allocations the means to get slots back. Called before the
/// first copy; any number of times.
void connect() noexcept;

/// With fewer a copy overlaps nothing.
constexpr std::size_t fewest_slots = 3;

/// Slots of one device: Tuning::slots_for_thread for each thread, at least 4, at most those of 16 threads.
std::size_t most_slots(unsigned threads) noexcept;

/// Bytes of a piece: the whole slot for large copies, less for small ones, so that all threads have work.
std::size_t piece_bytes(std::size_t copy, std::size_t slot, unsigned threads) noexcept;

} // namespace ferry::detail::staging
