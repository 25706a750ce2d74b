// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_pace.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ferry::vulkan {

/// The kernels of a device that ran so long that drivers with a watchdog would have ended them, and those in
/// their first run. Each long one is a slice in the trace. If the device is lost, the error names the first
/// runs that may not have ended, otherwise the last long kernel. Thread-safe.
class LongKernels {
public:
    void add(const std::string& kernel, std::uint64_t nanoseconds);
    /// A submit has this kernel, whose time is not known.
    void begin_first_run(const std::shared_ptr<Pace>& kernel);
    void end_first_run(const Pace& kernel) noexcept;
    /// A clause. Empty if there was none.
    std::string text() const;

private:
    mutable std::mutex mutex_;
    std::string text_;
    std::vector<std::shared_ptr<Pace>> first_runs_;
};

} // namespace ferry::vulkan
