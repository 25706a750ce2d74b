// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace ferry::detail::staging {

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

/// As many filled a PCIe 5 bus.
inline constexpr unsigned usual_copy_threads = 8;

/// min(16, processors - 1), at least 1: one processor stays with the caller.
unsigned most_threads() noexcept;

} // namespace ferry::detail::staging
