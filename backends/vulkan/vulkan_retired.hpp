// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_types.hpp"

#include <cstdint>
#include <mutex>
#include <vector>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

/// Objects of destroyed kernels that commands may still use. Thread-safe.
class Retired {
public:
    explicit Retired(VulkanDevice& device) : device_(device) {}

    /// Destroys them, and those added before, of which nothing is in use any more. The others wait for the
    /// next call.
    void add(std::vector<Pipeline> pipelines, PipelineLayout layout) noexcept;

private:
    struct Point {
        Stream* stream = nullptr;
        std::uint64_t value = 0;
    };
    struct Entry {
        std::vector<Pipeline> pipelines;
        PipelineLayout layout = nullptr;
        std::vector<Point> points;
    };

    bool is_unused(const Entry& entry) const noexcept;
    void destroy(const Entry& entry) const noexcept;

    VulkanDevice& device_;
    std::mutex mutex_;
    std::vector<Entry> entries_;
};

} // namespace ferry::vulkan
