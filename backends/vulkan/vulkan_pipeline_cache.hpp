// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/disk_cache.hpp"
#include "vulkan_api.hpp"
#include "vulkan_info.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace ferry::vulkan {

/// Whether the data of a VkPipelineCache has a header that names this owner, and code after it.
bool is_cache_of(const PipelineCacheOwner& owner, std::string_view data) noexcept;

/// The driver's machine code of one pipeline, in the cache on disk. The data is from another process, so it
/// is checked before the driver gets it. Without a cache, or with one that fails, the driver compiles.
class CachedPipeline {
public:
    CachedPipeline(const DeviceApi& api, Device device, const PipelineCacheOwner& owner, cache::Key key,
                   cache::DiskCache& disk = cache::shared());
    CachedPipeline(const CachedPipeline&) = delete;
    CachedPipeline& operator=(const CachedPipeline&) = delete;
    ~CachedPipeline();

    /// For the creation of the pipeline. Null: the driver made none.
    PipelineCache cache() const noexcept { return cache_; }
    /// Call after the pipeline is made. Stores its code if it is new.
    void keep() noexcept;

private:
    static constexpr std::size_t most_bytes = std::size_t{64} << 20;

    PipelineCache create(std::string_view data) const noexcept;

    const DeviceApi& api_;
    Device device_;
    PipelineCacheOwner owner_;
    cache::Key key_;
    cache::DiskCache& disk_;
    PipelineCache cache_ = nullptr;
    std::size_t loaded_ = 0; ///< Bytes.
};

} // namespace ferry::vulkan
