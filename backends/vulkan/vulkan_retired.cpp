// SPDX-License-Identifier: Apache-2.0
#include "vulkan_retired.hpp"

#include "vulkan_device.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>
#include <utility>

namespace ferry::vulkan {

bool Retired::is_unused(const Entry& entry) noexcept {
    try {
        return std::all_of(entry.points.begin(), entry.points.end(),
                           [](const Point& point) { return point.stream->reached(point.value); });
    } catch (...) { // The device is lost: it stays.
        return false;
    }
}

void Retired::add(std::unique_ptr<UsedObjects> objects) noexcept {
    Entry added{std::move(objects), {}};
    const std::lock_guard lock(mutex_);
    try {
        device_.for_each_stream([&](Stream& stream) {
            const std::lock_guard stream_lock(stream.mutex());
            added.points.push_back({&stream, stream.value()});
        });
        entries_.reserve(entries_.size() + 1);
    } catch (...) { // Out of memory: they stay.
        static_cast<void>(added.objects.release());
        return;
    }
    entries_.push_back(std::move(added));
    std::erase_if(entries_, is_unused);
}

} // namespace ferry::vulkan
