// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace ferry::vulkan {

class Stream;

/// Reads into ordinary memory of the program. The device copies the bytes to staging memory, and the host
/// copies them on before anyone learns that the read is done. Thread-safe.
class HostReads {
public:
    /// Rows of bytes. They are contiguous in staging memory.
    struct Read {
        Stream* stream = nullptr;
        std::uint64_t value = 0; ///< Of the stream, when the bytes are in staging memory.
        const std::byte* from = nullptr;
        std::byte* to = nullptr;
        std::size_t width = 0, height = 1, pitch = 0; ///< Bytes, rows, and bytes between rows of `to`.
        bool is_done = false;

        const std::byte* end() const noexcept { return to + (height - 1) * pitch + width; }
    };

    HostReads() { reads_.reserve(256); }

    void add(const Read& read);
    /// Copies the bytes of all reads that the device has completed, in their order. Throws Error.
    void drain();
    /// Completes the reads into memory that overlaps these bytes: waits for the device. Throws Error. The
    /// caller holds no stream's mutex.
    void complete(const void* start, std::size_t bytes);

private:
    std::atomic<std::size_t> count_{0}; ///< Reads whose bytes are not yet in their place.
    std::mutex mutex_;
    std::vector<Read> reads_;
};

} // namespace ferry::vulkan
