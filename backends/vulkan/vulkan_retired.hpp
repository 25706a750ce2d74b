// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

/// Objects of Vulkan that commands use. The destructor destroys them, unless the process ends.
class UsedObjects {
public:
    UsedObjects() = default;
    UsedObjects(const UsedObjects&) = delete;
    UsedObjects& operator=(const UsedObjects&) = delete;
    virtual ~UsedObjects() = default;
};

/// Objects without an owner that commands may still use. Thread-safe.
class Retired {
public:
    explicit Retired(VulkanDevice& device) : device_(device) {}

    /// Destroys these and earlier ones as soon as no command uses them. Those still in use stay until the
    /// next call.
    void add(std::unique_ptr<UsedObjects> objects) noexcept;

private:
    struct Point {
        Stream* stream = nullptr;
        std::uint64_t value = 0;
    };
    struct Entry {
        std::unique_ptr<UsedObjects> objects;
        std::vector<Point> points;
    };

    static bool is_unused(const Entry& entry) noexcept;

    VulkanDevice& device_;
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

} // namespace ferry::vulkan
