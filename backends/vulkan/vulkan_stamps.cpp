// SPDX-License-Identifier: Apache-2.0
#include "vulkan_stamps.hpp"

#include "vulkan_stream.hpp"

namespace ferry::vulkan {
namespace {

constexpr std::uint32_t pool_size = 64;

} // namespace

Stamp Stamps::lease() {
    const std::lock_guard lock(mutex_);
    if (free_.empty() ||
        (free_.front().stream != nullptr && !free_.front().stream->reached(free_.front().value))) {
        QueryPoolCreateInfo info;
        info.kind = constant::query_timestamp;
        info.count = pool_size;
        QueryPool pool = nullptr;
        vulkan::Device on = device_.device();
        call(device_.api().vkCreateQueryPool, on, &info, nullptr, &pool);
        made("vkCreateQueryPool", pool);
        for (std::uint32_t i = 0; i < pool_size; ++i) {
            free_.push_front({{pool, i}, nullptr, 0});
        }
    }
    const Stamp stamp = free_.front().stamp;
    free_.pop_front();
    return stamp;
}

void Stamps::give_back(const Stamp& stamp, Stream* stream, std::uint64_t value) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        free_.push_back({stamp, stream, value});
    } catch (...) { // Out of memory: it is not used again.
    }
}

std::optional<std::chrono::nanoseconds> Stamps::between(const Stamp& start, const Stamp& end) const {
    const auto first = read(start);
    const auto last = read(end);
    if (!first || !last) {
        return std::nullopt;
    }
    // The counter wraps, and the difference may be negative.
    const unsigned unused = 64 - device_.traits().timestamp_bits;
    const auto steps = static_cast<std::int64_t>((*last - *first) << unused) >> unused;
    return std::chrono::nanoseconds(
        static_cast<std::int64_t>(static_cast<double>(steps) * device_.traits().timestamp_ns));
}

std::optional<std::uint64_t> Stamps::read(const Stamp& stamp) const {
    std::uint64_t steps = 0;
    const Result result = device_.api().vkGetQueryPoolResults(device_.device(), stamp.pool, stamp.query, 1U,
                                                              sizeof steps, &steps, sizeof steps,
                                                              static_cast<std::uint32_t>(constant::query_64));
    check(result, device_.api().vkGetQueryPoolResults.name);
    return result == constant::success ? std::optional(steps) : std::nullopt;
}

} // namespace ferry::vulkan
