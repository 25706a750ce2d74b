// SPDX-License-Identifier: Apache-2.0
#include "vulkan_event.hpp"

#include "vulkan_stream.hpp"

namespace ferry::vulkan {

VulkanEvent::VulkanEvent(VulkanDevice& device, bool timing) : device_(device) {
    if (timing) {
        stamp_ = device.stamps().lease();
    }
}

VulkanEvent::~VulkanEvent() {
    if (stamp_) {
        device_.stamps().give_back(*stamp_, point_.stream, point_.value);
    }
}

void VulkanEvent::set(const Point& point) noexcept {
    const std::lock_guard lock(mutex_);
    point_ = point;
}

VulkanEvent::Point VulkanEvent::point() const noexcept {
    const std::lock_guard lock(mutex_);
    return point_;
}

bool VulkanEvent::ready() {
    const Point now = point();
    if (now.stream == nullptr) {
        return true;
    }
    now.stream->submit_up_to(now.value);
    if (!now.stream->reached(now.value)) {
        return false;
    }
    device_.drain();
    now.stream->check_lost(now.value);
    return true;
}

void VulkanEvent::wait(WaitPolicy policy) {
    if (const Point now = point(); now.stream != nullptr) {
        now.stream->wait(now.value, policy);
        now.stream->check_lost(now.value);
    }
}

std::optional<std::chrono::nanoseconds> VulkanEvent::since(backend::Event& start) {
    const auto& begin = static_cast<const VulkanEvent&>(start);
    if (!stamp_ || !begin.stamp_) {
        return std::nullopt;
    }
    return device_.stamps().between(*begin.stamp_, *stamp_);
}

backend::NativeEvent VulkanEvent::native_handle() {
    const Point now = point();
    if (now.stream == nullptr) {
        return {now.semaphore, now.value};
    }
    now.stream->submit_up_to(now.value);
    return {now.stream->semaphore(), now.value};
}

} // namespace ferry::vulkan
