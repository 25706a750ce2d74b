// SPDX-License-Identifier: Apache-2.0
#include "vulkan_pipeline_cache.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <utility>

namespace ferry::vulkan {
namespace {

/// VkPipelineCacheHeaderVersionOne.
struct Header {
    std::uint32_t bytes = 0;
    std::uint32_t version = 0;
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::array<std::uint8_t, 16> uuid{};
};
static_assert(sizeof(Header) == 32);

} // namespace

bool is_cache_of(const PipelineCacheOwner& owner, std::string_view data) noexcept {
    Header header;
    if (data.size() <= sizeof header) {
        return false;
    }
    std::memcpy(&header, data.data(), sizeof header);
    return header.bytes == sizeof header && header.version == 1 && header.vendor == owner.vendor &&
           header.device == owner.device && header.uuid == owner.uuid;
}

CachedPipeline::CachedPipeline(const DeviceApi& api, Device device, const PipelineCacheOwner& owner,
                               cache::Key key, cache::DiskCache& disk)
    : api_(api), device_(device), owner_(owner), key_(std::move(key)), disk_(disk) {
    const std::optional<std::string> data = disk_.load(key_);
    if (data && is_cache_of(owner_, *data)) {
        cache_ = create(*data);
        loaded_ = cache_ != nullptr ? data->size() : 0;
    }
    if (cache_ == nullptr) {
        cache_ = create({});
    }
}

CachedPipeline::~CachedPipeline() {
    if (cache_ != nullptr) {
        api_.vkDestroyPipelineCache.function(device_, cache_, nullptr);
    }
}

PipelineCache CachedPipeline::create(std::string_view data) const noexcept {
    PipelineCacheCreateInfo info;
    info.bytes = data.size();
    info.data = data.data();
    PipelineCache made = nullptr;
    const Result result = api_.vkCreatePipelineCache(device_, &info, nullptr, &made);
    return result == constant::success ? made : nullptr;
}

void CachedPipeline::keep() noexcept {
    std::size_t bytes = 0;
    if (cache_ == nullptr ||
        api_.vkGetPipelineCacheData(device_, cache_, &bytes, nullptr) != constant::success ||
        bytes == loaded_ || bytes > most_bytes) {
        return;
    }
    try {
        std::string data(bytes, '\0');
        if (api_.vkGetPipelineCacheData(device_, cache_, &bytes, data.data()) != constant::success) {
            return;
        }
        data.resize(std::min(bytes, data.size()));
        if (is_cache_of(owner_, data)) { // Some drivers return the header alone.
            disk_.store(key_, data);
        }
    } catch (const std::exception&) { // Out of memory: it is compiled again next time.
        return;
    }
}

} // namespace ferry::vulkan
