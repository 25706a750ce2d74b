// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "vulkan_stamps.hpp"

#include <cstdint>
#include <mutex>
#include <optional>

namespace ferry::vulkan {

class Stream;
class VulkanDevice;

class VulkanEvent final : public backend::Event {
public:
    /// A value of a stream, or of a semaphore of the program. Both are null before the first recording.
    struct Point {
        Stream* stream = nullptr;
        std::uint64_t value = 0;
        Semaphore semaphore = nullptr;
    };

    VulkanEvent(VulkanDevice& device, bool timing);
    /// A value of a semaphore of the program, for VulkanQueue::wait().
    VulkanEvent(VulkanDevice& device, Semaphore semaphore, std::uint64_t value)
        : device_(device), point_{nullptr, value, semaphore} {}
    ~VulkanEvent() override;

    bool ready() override;
    using backend::Event::wait;
    void wait(WaitPolicy policy) override;
    std::optional<std::chrono::nanoseconds> since(backend::Event& start) override;
    /// The VkSemaphore of the queue and its value, whose signal is submitted.
    backend::NativeEvent native_handle() override;

    const VulkanDevice& device() const noexcept { return device_; }
    const std::optional<Stamp>& stamp() const noexcept { return stamp_; }
    void set(const Point& point) noexcept;
    Point point() const noexcept;

private:
    VulkanDevice& device_;
    std::optional<Stamp> stamp_;
    mutable std::mutex mutex_; ///< An event is recorded while other threads wait for its last recording.
    Point point_;
};

} // namespace ferry::vulkan
