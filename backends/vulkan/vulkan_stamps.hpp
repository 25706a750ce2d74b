// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_types.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

/// A place for one time stamp of the device.
struct Stamp {
    QueryPool pool = nullptr;
    std::uint32_t query = 0;
};

/// The time stamps of a device. Thread-safe.
class Stamps {
public:
    explicit Stamps(VulkanDevice& device) : device_(device) {}

    Stamp lease();
    /// The device may still write to it until the stream has reached the value.
    void give_back(const Stamp& stamp, Stream* stream, std::uint64_t value) noexcept;
    /// The time between two stamps, if the device has written them.
    std::optional<std::chrono::nanoseconds> between(const Stamp& start, const Stamp& end) const;

private:
    /// The number of steps, if the device has written it.
    std::optional<std::uint64_t> read(const Stamp& stamp) const;

    struct Used {
        Stamp stamp;
        Stream* stream = nullptr;
        std::uint64_t value = 0;
    };

    VulkanDevice& device_;
    std::mutex mutex_;
    std::deque<Used> free_; ///< The oldest first.
};

} // namespace ferry::vulkan
