// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <shared_mutex>

namespace ferry::detail {
class DeviceState;
}

namespace ferry::detail::staging {

/// Ferry's own host and shared buffers, by address: they need no staging on the backend that made them.
class KnownMemory {
public:
    static KnownMemory& get();

    void add(const DeviceState& device, const void* host, std::size_t bytes);
    void remove(const void* host) noexcept;
    /// Whether [host, host + bytes) lies in one buffer that `device` copies directly.
    bool holds(const DeviceState& device, const void* host, std::size_t bytes) const;

private:
    struct Range {
        const DeviceState* device;
        std::size_t bytes;
    };
    mutable std::shared_mutex mutex_;
    std::map<std::uintptr_t, Range> ranges_;
};

/// Whether the device's driver copies these bytes directly: Ferry's own memory, or page-locked at both ends.
/// False once the process has begun to end.
bool is_page_locked(DeviceState& device, const void* host, std::size_t bytes);

} // namespace ferry::detail::staging
