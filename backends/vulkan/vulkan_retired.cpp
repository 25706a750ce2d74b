// SPDX-License-Identifier: Apache-2.0
#include "vulkan_retired.hpp"

#include "vulkan_device.hpp"
#include "vulkan_stream.hpp"

#include <algorithm>

namespace ferry::vulkan {

bool Retired::is_unused(const Entry& entry) const noexcept {
    try {
        return std::all_of(entry.points.begin(), entry.points.end(),
                           [](const Point& point) { return point.stream->reached(point.value); });
    } catch (...) { // The device is lost: it stays.
        return false;
    }
}

void Retired::destroy(const Entry& entry) const noexcept {
    const DeviceApi& api = device_.api();
    vulkan::Device on = device_.device();
    for (Pipeline pipeline : entry.pipelines) {
        api.vkDestroyPipeline.function(on, pipeline, nullptr);
    }
    api.vkDestroyPipelineLayout.function(on, entry.layout, nullptr);
}

void Retired::add(std::vector<Pipeline> pipelines, PipelineLayout layout) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        Entry added{std::move(pipelines), layout, {}};
        device_.for_each_stream([&](Stream& stream) {
            const std::lock_guard stream_lock(stream.mutex());
            added.points.push_back({&stream, stream.value()});
        });
        entries_.push_back(std::move(added));
        std::erase_if(entries_, [&](const Entry& entry) {
            const bool unused = is_unused(entry);
            if (unused) {
                destroy(entry);
            }
            return unused;
        });
    } catch (...) { // Out of memory: they stay.
    }
}

} // namespace ferry::vulkan
