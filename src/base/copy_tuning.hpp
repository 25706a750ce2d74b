// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

namespace ferry::detail::staging {

/// Constants of the staging path; their origin is described in docs/design/staging.md. Tests and benchmarks
/// may change them before the first staged copy of the process.
struct Tuning {
    std::size_t slot_bytes = 0;                         ///< 0: slot_size() decides.
    std::size_t smallest_slot = std::size_t{256} << 10; ///< A command costs more than a smaller slot gains.
    unsigned threads = 0;                               ///< 0: thread_limit() decides.
    unsigned most_threads = 0;                          ///< 0: most_threads() decides.
    unsigned slots_for_thread = 2;                      ///< One is filled while the other is on the bus.
    bool streaming_stores = true;
    // In bytes: above these sizes, staging gains more than the wake-up of its threads costs. The driver's own
    // rates are 10 GB/s up and 19 GB/s down.
    std::size_t upload_above = std::size_t{1} << 20;
    std::size_t download_above = std::size_t{8} << 20;
    /// Page-locking a slot costs about as much time as staging saves on this many bytes.
    std::size_t bytes_for_a_slot = std::size_t{16} << 20;
    /// After this time without work, threads end and slots are released.
    std::chrono::milliseconds idle{5000};
};
Tuning& tuning() noexcept;

/// As many filled a PCIe 5 bus.
inline constexpr unsigned usual_copy_threads = 8;

/// min(16, processors - 1), but at least 1. One processor remains for the caller.
unsigned most_threads() noexcept;

} // namespace ferry::detail::staging
