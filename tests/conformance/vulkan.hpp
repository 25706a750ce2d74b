// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "program/kernel_state.hpp"
#include "vulkan/vulkan_device.hpp"
#include "vulkan/vulkan_kernel.hpp"

#include <ferry/ferry.hpp>

#include <chrono>
#include <cstdint>

// The inside of the Vulkan backend, for its tests.
namespace conformance {

inline ferry::vulkan::VulkanDevice& vulkan_device(const ferry::Device& device) {
    return static_cast<ferry::vulkan::VulkanDevice&>(device.state().native());
}

inline ferry::vulkan::VulkanEntry& vulkan_entry(const ferry::Kernel& kernel) {
    return static_cast<ferry::vulkan::VulkanKernel&>(kernel.state()->native()).entry();
}

/// While it lives, a Vulkan device measures and limits its submits, also a processor. Elsewhere nothing.
class MeasuredSubmits {
public:
    explicit MeasuredSubmits(const ferry::Device& device) : device_(device) { set(true); }
    MeasuredSubmits(const MeasuredSubmits&) = delete;
    MeasuredSubmits& operator=(const MeasuredSubmits&) = delete;
    ~MeasuredSubmits() { set(device_.info().kind != ferry::DeviceKind::cpu); }

private:
    void set(bool measure) const {
        if (device_.backend() == ferry::Backend::vulkan) {
            vulkan_device(device_).measure_submits(measure);
        }
    }

    ferry::Device device_;
};

/// Makes the Vulkan backend believe that launches of the kernel over this grid take so long. Elsewhere
/// nothing.
inline void forecast(const ferry::Kernel& kernel, const ferry::Grid& grid, std::chrono::nanoseconds time) {
    if (kernel.device().backend() == ferry::Backend::vulkan) {
        vulkan_entry(kernel).pace()->learn(grid.groups.x * grid.local.x,
                                           static_cast<std::uint64_t>(time.count()));
    }
}

} // namespace conformance
