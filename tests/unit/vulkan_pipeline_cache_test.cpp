// SPDX-License-Identifier: Apache-2.0
// The data of pipeline caches on disk, with a driver of this file.
#include "cache_fixture.hpp"
#include "vulkan/vulkan_pipeline_cache.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace vulkan_pipeline_cache_test {

using namespace ferry;
using ferry::vulkan::CachedPipeline;
using ferry::vulkan::PipelineCacheOwner;

const PipelineCacheOwner owner{0x10de, 0x2336, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};

std::string data_of(const PipelineCacheOwner& of, const std::string& code) {
    std::string data(32, '\0');
    const std::uint32_t numbers[] = {32, 1, of.vendor, of.device};
    std::memcpy(data.data(), numbers, sizeof numbers);
    std::memcpy(data.data() + 16, of.uuid.data(), of.uuid.size());
    return data + code;
}

/// The driver: the data that it was given last, the data that it returns, and the objects that live.
struct Driver {
    std::vector<std::string> given;
    std::string returns;
    int living = 0;
    vulkan::Result creates = 0;
    vulkan::Result rejects_data = 0;
};
Driver* driver = nullptr;

vulkan::Result create_cache(vulkan::Device, const vulkan::PipelineCacheCreateInfo* info,
                            const vulkan::AllocationCallbacks*, vulkan::PipelineCache* cache) {
    driver->given.emplace_back(static_cast<const char*>(info->data), info->bytes);
    const vulkan::Result result = info->bytes != 0 ? driver->rejects_data : driver->creates;
    if (result == 0) {
        ++driver->living;
        *cache = reinterpret_cast<vulkan::PipelineCache>(driver);
    }
    return result;
}
vulkan::Result read_data(vulkan::Device, vulkan::PipelineCache, std::size_t* bytes, void* data) {
    if (data == nullptr) {
        *bytes = driver->returns.size();
    } else {
        *bytes = std::min(*bytes, driver->returns.size());
        std::memcpy(data, driver->returns.data(), *bytes);
    }
    return 0;
}
void destroy_cache(vulkan::Device, vulkan::PipelineCache, const vulkan::AllocationCallbacks*) {
    --driver->living;
}

struct Fixture : CacheFixture {
    Fixture() {
        driver = &state;
        api.vkCreatePipelineCache.function = create_cache;
        api.vkGetPipelineCacheData.function = read_data;
        api.vkDestroyPipelineCache.function = destroy_cache;
        key.add("form", "test");
    }
    ~Fixture() { CHECK(state.living == 0); }

    /// A process that makes the pipeline. Returns the data that the driver got last.
    std::string make(const PipelineCacheOwner& of = owner) {
        cache::DiskCache disk(location());
        CachedPipeline cached(api, nullptr, of, key, disk);
        CHECK((cached.cache() != nullptr) == (state.creates == 0 || state.rejects_data == 0));
        cached.keep();
        return state.given.back();
    }
    std::optional<std::string> stored() { return cache::DiskCache(location()).load(key); }

    Driver state;
    vulkan::DeviceApi api;
    cache::Key key;
};

TEST_CASE("vulkan pipeline cache: the second process gets the data of the first") {
    Fixture fixture;
    fixture.state.returns = data_of(owner, "machine code");
    CHECK(fixture.make().empty());
    CHECK(fixture.stored() == fixture.state.returns);
    CHECK(fixture.make() == fixture.state.returns);
    CHECK(fixture.make() == fixture.state.returns);
    CHECK(fixture.state.given.size() == 3);
}

TEST_CASE("vulkan pipeline cache: the driver returns other data, and it replaces the old") {
    Fixture fixture;
    fixture.state.returns = data_of(owner, "machine code");
    fixture.make();
    fixture.state.returns = data_of(owner, "better machine code");
    fixture.make();
    CHECK(fixture.stored() == fixture.state.returns);
}

TEST_CASE(
    "vulkan pipeline cache: data with another owner, or with a damaged header, is not given to a driver") {
    Fixture fixture;
    std::vector<PipelineCacheOwner> others(3, owner);
    others[0].vendor ^= 1;
    others[1].device ^= 1U << 31U;
    others[2].uuid[15] ^= 1;
    const std::string good = data_of(owner, "code");
    CHECK(vulkan::is_cache_of(owner, good));
    std::vector<std::string> bad{"", good.substr(0, 31), good.substr(0, 32)};
    for (const PipelineCacheOwner& other : others) {
        CHECK(!vulkan::is_cache_of(other, good));
        bad.push_back(data_of(other, "code"));
    }
    for (std::size_t i = 0; i < 32; ++i) {
        bad.push_back(good);
        bad.back()[i] = static_cast<char>(bad.back()[i] ^ 4);
    }
    for (const std::string& data : bad) {
        CHECK(!vulkan::is_cache_of(owner, data));
        cache::DiskCache(fixture.location()).store(fixture.key, data);
        fixture.state.returns = data_of(owner, "new");
        CHECK(fixture.make().empty());
        CHECK(fixture.stored() == fixture.state.returns);
    }
}

TEST_CASE("vulkan pipeline cache: a damaged file is ignored") {
    Fixture fixture;
    fixture.state.returns = data_of(owner, std::string(500, 'x'));
    fixture.make();
    for (const std::size_t at : {std::size_t{3}, std::size_t{100}, std::size_t{400}}) {
        {
            std::fstream file(fixture.file_of(fixture.key), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(static_cast<std::streamoff>(at));
            file.put('?');
        }
        CHECK(fixture.make().empty());
        CHECK(fixture.make() == fixture.state.returns);
    }
}

TEST_CASE("vulkan pipeline cache: a header alone, or data of another device, is not stored") {
    Fixture fixture;
    fixture.state.returns = data_of(owner, "");
    fixture.make();
    CHECK(!fixture.stored());
    PipelineCacheOwner other = owner;
    other.device = 7;
    fixture.state.returns = data_of(other, "code");
    fixture.make();
    CHECK(!fixture.stored());
}

TEST_CASE("vulkan pipeline cache: a driver rejects the data, or makes no cache") {
    Fixture fixture;
    fixture.state.returns = data_of(owner, "code");
    fixture.make();
    fixture.state.rejects_data = -1;
    CHECK(fixture.make().empty()); // Tried again without data.
    fixture.state.creates = -1;
    cache::DiskCache disk(fixture.location());
    CachedPipeline cached(fixture.api, nullptr, owner, fixture.key, disk);
    CHECK(cached.cache() == nullptr);
    cached.keep();
}

} // namespace vulkan_pipeline_cache_test
