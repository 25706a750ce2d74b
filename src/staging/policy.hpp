// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::staging {

enum class Mode : std::uint8_t {
    automatic, ///< where the device gains from it, from a size on
    on,        ///< every copy of ordinary memory on every device: for tests
    off,
};

/// The numbers of the staging path; docs/design/staging.md says where they come from. Tests and benchmarks
/// change them, before the first staged copy of the process.
struct Tuning {
    std::size_t slot_bytes = 0;                         ///< 0: as slot_size() says
    std::size_t smallest_slot = std::size_t{256} << 10; ///< below it a slot is not worth its command
    unsigned threads = 0;                               ///< 0: as thread_limit() says
    unsigned most_threads = 0;                          ///< 0: as most_threads() says
    unsigned slots_for_thread = 2;                      ///< as many are filled as are on the bus
    bool streaming_stores = true;
    // Where staging has made up for waking its threads, against the driver's 10 GB/s up and 19 GB/s down.
    std::size_t upload_above = std::size_t{1} << 20;
    std::size_t download_above = std::size_t{8} << 20;
    /// A slot costs about as much to page-lock as staging wins on so many bytes.
    std::size_t bytes_for_a_slot = std::size_t{16} << 20;
    std::chrono::milliseconds idle{5000}; ///< then threads end and slots are given back
};
Tuning& tuning() noexcept;

/// min(16, processors - 1), at least 1: one processor stays with the caller.
unsigned most_threads() noexcept;

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
/// from staging, everything if not, nothing for Mode::on.
std::size_t straight(DeviceState& device, Mode mode, std::size_t above) noexcept;

/// With fewer a copy overlaps nothing.
constexpr std::size_t fewest_slots = 3;

/// Slots of one device: Tuning::slots_for_thread for each thread, at least 4, at most those of 16 threads.
std::size_t most_slots(unsigned threads) noexcept;

/// Bytes of a piece: the whole slot for large copies, less for small ones, so that all threads have work.
std::size_t piece_bytes(std::size_t copy, std::size_t slot, unsigned threads) noexcept;

} // namespace ferry::detail::staging
