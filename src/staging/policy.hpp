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
    std::string source; ///< The origin of the number, as text.
};
/// Tuning::threads if set. Otherwise the smallest measured number of threads that is about as fast as the
/// best one, up to most_threads(). If nothing was measured: most_threads(), but at most 8, which saturate a
/// PCIe 5 bus. Reads the cache on disk once.
ThreadLimit thread_limit();

struct SlotSize {
    std::size_t bytes = 0;
    std::string source; ///< The origin of the number, as text.
};
/// Tuning::slot_bytes if set. Otherwise the smallest measured size with which large copies of the device are
/// about as fast as with the best one. If nothing was measured: 4 MiB. Reads the cache on disk once.
SlotSize slot_size(DeviceState* device);

/// Copies of pageable memory up to this number of bytes use the driver's own path. It is `above` if the
/// device gains from staging, the largest std::size_t if it does not, and 0 for Staging::on.
std::size_t straight(DeviceState& device, Staging mode, std::size_t above) noexcept;

/// Gives the copy threads their limit, and the allocations the means to get slots back. Called before the
/// first copy; any number of times.
void connect() noexcept;

/// With fewer slots, the steps of a copy do not overlap.
constexpr std::size_t fewest_slots = 3;

/// Number of slots of one device: Tuning::slots_for_thread for each thread, at least 4, and at most the
/// number for 16 threads.
std::size_t most_slots(unsigned threads) noexcept;

/// Size of a piece in bytes: the whole slot for large copies, less for small ones so that all threads have
/// work.
std::size_t piece_bytes(std::size_t copy, std::size_t slot, unsigned threads) noexcept;

} // namespace ferry::detail::staging
