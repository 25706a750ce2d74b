// SPDX-License-Identifier: Apache-2.0
// Fills on a discrete device: the use of Ferry's own kernel and of the driver's fill.
#include "opencl_fake_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace opencl_fill_test {

using namespace fake_opencl;
using ferry::MemoryKind;
using ferry::backend::Memory;

namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

struct Fills : Scene {
    explicit Fills(const ferry::DeviceInfo& info = gpu(false)) : Scene(info, kept_traits()) {}

    /// Fills, and compares all of the memory. Returns the number of launches.
    std::size_t launches(std::size_t at, std::size_t length, std::size_t size) {
        std::vector<char>& seen = fake<FakeMemory>(memory->handle).bytes;
        std::vector<char> wanted(seen.size(), static_cast<char>(random_engine()()));
        seen = wanted;
        std::vector<char> pattern(size);
        for (char& byte : pattern) {
            byte = static_cast<char>(random_engine()());
        }
        pattern[0] = static_cast<char>(pattern[size - 1] + 1); // no shorter pattern has the same effect
        for (std::size_t i = 0; i < length; ++i) {
            wanted[at + i] = pattern[i % size];
        }
        const std::size_t before = all.launches;
        one.fill({memory.get(), at}, length, pattern.data(), size);
        CHECK(seen == wanted);
        return all.launches - before;
    }

    std::unique_ptr<Memory> memory = device.allocate(MemoryKind::device, 17 * mebi);
};

} // namespace

TEST_CASE("opencl fill: unsupported patterns become a launch, once the kernel is worth building") {
    Fills s;
    CHECK(s.launches(5, 1200, 12) == 0);
    CHECK(s.all.builds == 0);
    CHECK(s.launches(5, 1200 * 1000, 12) == 1);
    CHECK(s.all.builds == 1);
    const std::size_t fills = s.all.fills;
    for (const std::size_t size : {2U, 3U, 12U, 24U, 48U, 64U}) {
        INFO("a pattern of ", size, " bytes");
        CHECK(s.launches(7, 20 * size, size) == 1);
    }
    CHECK(s.all.fills == fills);
    CHECK(s.all.copies > 0);
    s.all.copies = 0;
    CHECK(s.launches(7, 1500, 5) == 1); // one launch writes the pattern
    CHECK(s.all.fills > fills);
    CHECK(s.all.copies == 0);
    CHECK(s.launches(7, 1000, 100) == 1);
    CHECK(s.launches(3, 96, 48) == 0); // the range is hardly longer than the pattern
    CHECK(s.all.builds == 1);
}

TEST_CASE("opencl fill: supported patterns use the driver's fill until they are large") {
    Fills s;
    CHECK(s.launches(8, 8 * mebi, 4) == 0);
    CHECK(s.all.builds == 0);
    CHECK(s.launches(8, 16 * mebi, 4) == 1);
    CHECK(s.launches(16, 16 * mebi, 16) == 1);
    CHECK(s.launches(8, mebi, 4) == 0);
    CHECK(s.launches(8, mebi + 8, 8) == 0);
}

TEST_CASE("opencl fill: without the kernel, fills are the driver's, and the build is not tried again") {
    Fills s;
    s.all.build = CL_BUILD_PROGRAM_FAILURE;
    CHECK(s.launches(5, 12 * mebi, 12) == 0);
    CHECK(s.launches(0, 16 * mebi, 4) == 0);
    CHECK(s.all.builds == 1);
}

TEST_CASE("opencl fill: drivers of processors fill themselves") {
    ferry::DeviceInfo info = gpu(true);
    info.kind = ferry::DeviceKind::cpu;
    Fills s{info};
    CHECK(s.launches(5, 12 * mebi, 12) == 0);
    CHECK(s.launches(0, 16 * mebi, 4) == 0);
    CHECK(s.all.builds == 0);
}

TEST_CASE("opencl fill: the kernel keeps off memory objects that kernels may not read, or not write") {
    Fills s;
    for (const auto flags :
         {cl_mem_flags{CL_MEM_READ_ONLY}, cl_mem_flags{CL_MEM_WRITE_ONLY}, cl_mem_flags{CL_MEM_READ_WRITE}}) {
        s.all.memories.push_back({std::vector<char>(13 * mebi), false, false, flags});
        const auto native = reinterpret_cast<std::uintptr_t>(&s.all.memories.back());
        s.memory = s.device.wrap({native}, 13 * mebi, ferry::backend::Ownership::borrowed);
        CHECK(s.launches(5, 12 * mebi, 12) == (flags == CL_MEM_READ_WRITE ? 1 : 0));
    }
}

TEST_CASE("opencl fill: page-locked memory gets what the kernel wrote, and no more") {
    Fills s;
    CHECK(s.launches(5, 12 * mebi, 12) == 1);
    const auto host = s.device.allocate(MemoryKind::host, 4096);
    auto* const seen = static_cast<char*>(host->host);
    std::vector<char> wanted(4096, 'x');
    std::copy(wanted.begin(), wanted.end(), seen);
    const std::vector<char> pattern{'a', 'b', 'c'};
    for (std::size_t i = 0; i < 300; ++i) {
        wanted[17 + i] = pattern[i % 3];
    }
    const std::size_t launches = s.all.launches;
    s.one.fill({host.get(), 17}, 300, pattern.data(), pattern.size());
    CHECK(s.all.launches == launches + 1);
    CHECK(s.all.writes == 0);
    CHECK(s.all.reads == 1);
    CHECK(std::equal(wanted.begin(), wanted.end(), seen));
}

TEST_CASE("opencl fill: the kernel keeps off an import that begins at no multiple of its pieces") {
    Traits usm = kept_traits();
    usm.imports = InPlace::usm_pointers;
    Scene s{gpu(false), usm};
    std::vector<char> data(3 * mebi + 64);
    std::string why;
    const std::size_t past = reinterpret_cast<std::uintptr_t>(data.data()) % 16;
    const auto memory = s.device.import_memory(data.data() + 24 - past, 3 * mebi, false, why);
    REQUIRE(memory != nullptr);
    const char pattern[] = {'a', 'b', 'c'};
    s.one.fill({memory.get(), 0}, 3 * mebi, pattern, sizeof pattern);
    CHECK(s.all.launches == 0);
    CHECK(s.all.builds == 0);
    CHECK(std::string(data.data() + 24 - past, 8) == "abcabcab");
}

TEST_CASE("opencl fill: a refused launch is reported, and the next fill works") {
    Fills s;
    s.all.next_launch = CL_OUT_OF_RESOURCES;
    const char pattern[] = {'a', 'b', 'c'};
    CHECK_THROWS_AS(s.one.fill({s.memory.get(), 0}, 3 * mebi, pattern, sizeof pattern), ferry::Error);
    CHECK(s.launches(5, 12 * mebi, 12) == 1);
}

} // namespace opencl_fill_test
