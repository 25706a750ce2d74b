// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace ferry::vulkan {

/// The kernels of a device that ran so long that drivers with a watchdog would have ended them. Each is a
/// slice in the trace, and the last one is part of the error if the device is lost. Thread-safe.
class LongKernels {
public:
    void add(const std::string& kernel, std::uint64_t nanoseconds);
    /// A clause. Empty if there was none.
    std::string text() const;

private:
    mutable std::mutex mutex_;
    std::string text_;
};

} // namespace ferry::vulkan
