// SPDX-License-Identifier: Apache-2.0
// Batches of copies on a discrete device: the commands that they become, and failures in their middle.
#include "opencl_fake_driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

namespace opencl_batch_test {

using namespace fake_opencl;
using ferry::MemoryKind;
using ferry::backend::BatchCopy;
using ferry::backend::Memory;

namespace {

std::vector<char> random_bytes(std::size_t size) {
    std::vector<char> bytes(size);
    for (char& byte : bytes) {
        byte = static_cast<char>(random_engine()());
    }
    return bytes;
}

/// Two buffers of the device and host memory, divided into pieces that are moved to other places.
struct Pieces : Scene {
    static constexpr std::size_t size = 100;
    static constexpr std::size_t bytes = 400 * size;

    Pieces() : Scene(false, kept_traits()) {}

    std::vector<char>& of(const Memory& buffer) { return fake<FakeMemory>(buffer.handle).bytes; }
    static std::size_t turned(std::size_t i, std::size_t count) { return (count - 1 - i) * size; }

    static std::vector<BatchCopy> up(const std::vector<char>& from, Memory& to, std::size_t count) {
        std::vector<BatchCopy> copies;
        for (std::size_t i = 0; i < count; ++i) {
            copies.push_back({{}, {&to, turned(i, count)}, from.data() + i * size, nullptr, size - 1});
        }
        return copies;
    }
    static std::vector<BatchCopy> down(Memory& from, std::vector<char>& to, std::size_t count) {
        std::vector<BatchCopy> copies;
        for (std::size_t i = 0; i < count; ++i) {
            copies.push_back({{&from, i * size}, {}, nullptr, to.data() + turned(i, count), size - 1});
        }
        return copies;
    }
    static std::vector<BatchCopy> between(Memory& from, Memory& to, std::size_t count) {
        std::vector<BatchCopy> copies;
        for (std::size_t i = 0; i < count; ++i) {
            copies.push_back({{&from, i * size}, {&to, turned(i, count)}, nullptr, nullptr, size - 1});
        }
        return copies;
    }
    static void check(const std::vector<char>& from, const std::vector<char>& before,
                      const std::vector<char>& seen, std::size_t count) {
        std::vector<char> wanted = before;
        for (std::size_t i = 0; i < count; ++i) {
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(i * size), size - 1,
                        wanted.begin() + static_cast<std::ptrdiff_t>(turned(i, count)));
        }
        CHECK(std::equal(wanted.begin(), wanted.end(), seen.begin()));
    }
    /// Fills the memory, runs a batch of `count` copies and checks the bytes. Returns the number of launches.
    std::size_t launches_up(std::size_t count) {
        const std::size_t before = all.launches;
        host = random_bytes(bytes);
        const auto old = of(*a) = random_bytes(bytes);
        one.copy_batch(up(host, *a, count));
        check(host, old, of(*a), count);
        return all.launches - before;
    }

    std::unique_ptr<Memory> a = device.allocate(MemoryKind::device, bytes);
    std::unique_ptr<Memory> b = device.allocate(MemoryKind::device, bytes);
    std::vector<char> host = random_bytes(bytes);
};

} // namespace

TEST_CASE(
    "opencl batch: the kernel is built for the first batch worth it, once, and then serves small ones") {
    Pieces s;
    CHECK(s.launches_up(63) == 0);
    CHECK(s.all.writes == 63);
    CHECK(s.all.builds == 0);
    CHECK(s.launches_up(64) == 1);
    CHECK(s.all.writes == 64);
    CHECK(s.launches_up(8) == 1);
    CHECK(s.all.writes == 65);
    CHECK(s.launches_up(7) == 0);
    CHECK(s.all.writes == 72);
    CHECK(s.all.builds == 1);
    CHECK(s.all.grids.back().local[0] == 256);
    CHECK(s.all.grids.back().global[1] == 1);
}

TEST_CASE(
    "opencl batch: without the kernel, copies are enqueued one by one, and the build is not tried again") {
    Pieces s;
    s.all.build = CL_BUILD_PROGRAM_FAILURE;
    CHECK(s.launches_up(100) == 0);
    CHECK(s.launches_up(100) == 0);
    CHECK(s.all.writes == 200);
    CHECK(s.all.builds == 1);
}

TEST_CASE("opencl batch: a write, a launch for each two memories and a read, and few copies by themselves") {
    Pieces s;
    const auto c = s.device.allocate(MemoryKind::device, Pieces::bytes);
    const auto from_a = s.of(*s.a) = random_bytes(Pieces::bytes);
    const auto b_before = s.of(*s.b) = random_bytes(Pieces::bytes);
    const auto c_before = s.of(*c) = random_bytes(Pieces::bytes);
    std::vector<char> seen = random_bytes(Pieces::bytes);
    const std::vector<char> seen_before = seen;
    auto copies = Pieces::up(s.host, *s.b, 80);
    for (const auto& more : {Pieces::down(*s.a, seen, 90), Pieces::between(*s.a, *c, 3)}) {
        copies.insert(copies.end(), more.begin(), more.end());
    }
    std::shuffle(copies.begin(), copies.end(), random_engine());
    s.one.copy_batch(copies);
    CHECK(s.all.writes == 1);
    CHECK(s.all.launches == 2);
    CHECK(s.all.reads == 1);
    CHECK(s.all.copies == 3);
    Pieces::check(s.host, b_before, s.of(*s.b), 80);
    Pieces::check(from_a, seen_before, seen, 90);
    Pieces::check(from_a, c_before, s.of(*c), 3);
}

TEST_CASE("opencl batch: large copies go by themselves, long ones are shared by groups") {
    Pieces s;
    const auto big = s.device.allocate(MemoryKind::device, 400'000);
    const auto far = s.device.allocate(MemoryKind::device, 900'000);
    const auto contents = s.of(*big) = random_bytes(400'000);
    auto copies = Pieces::between(*s.a, *s.b, 70);
    for (std::size_t i = 0; i < 4; ++i) {
        copies.push_back({{big.get(), i}, {far.get(), i * 100'001}, nullptr, nullptr, 100'001});
    }
    copies.push_back({{big.get(), 0}, {far.get(), 500'000}, nullptr, nullptr, (256U << 10) + 1});
    s.one.copy_batch(copies);
    CHECK(s.all.launches == 2);
    CHECK(s.all.copies == 1);
    REQUIRE(s.all.grids.size() == 2);
    CHECK(std::max(s.all.grids[0].global[1], s.all.grids[1].global[1]) == 7); // groups of 16 KiB
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(std::equal(contents.begin() + static_cast<std::ptrdiff_t>(i),
                         contents.begin() + static_cast<std::ptrdiff_t>(i + 100'001),
                         s.of(*far).begin() + static_cast<std::ptrdiff_t>(i * 100'001)));
    }
}

TEST_CASE("opencl batch: a large batch takes several packs, and a finished pack is used again") {
    Pieces s;
    constexpr std::size_t piece = 60'000;
    constexpr std::size_t count = 120; // 7.2 MB through packs of 2 MiB
    const std::vector<char> from = random_bytes(piece * count);
    const auto to = s.device.allocate(MemoryKind::device, piece * count);
    std::vector<BatchCopy> copies;
    for (std::size_t i = 0; i < count; ++i) {
        copies.push_back({{}, {to.get(), i * piece}, from.data() + i * piece, nullptr, piece});
    }
    s.all.next_status = CL_SUBMITTED;
    s.one.copy_batch(copies);
    CHECK(s.all.launches == 4);
    CHECK(s.all.waits == 1);
    CHECK(s.of(*to) == from);
}

TEST_CASE("opencl batch: packs share a part, and a batch on the device never waits for one") {
    Pieces s;
    s.all.next_status = CL_SUBMITTED;
    const auto contents = s.of(*s.a) = random_bytes(Pieces::bytes);
    const auto before = s.of(*s.b);
    constexpr std::size_t count = 400; // 9.6 KB of the list
    // at least this many lists fit into three packs
    constexpr std::size_t packs = 3 * ((std::size_t{2} << 20) / 9632);
    for (std::size_t i = 0; i < packs; ++i) {
        s.one.copy_batch(Pieces::between(*s.a, *s.b, count));
    }
    CHECK(s.all.memories.size() == 2 + 2 * 3);
    const std::size_t full = s.all.launches;
    CHECK(full >= packs);
    for (int i = 0; i < 6; ++i) {
        s.one.copy_batch(Pieces::between(*s.a, *s.b, count));
    }
    CHECK(s.all.copies != 0);
    CHECK(s.all.waits == 0);
    s.one.copy_batch(Pieces::up(s.host, *s.b, count)); // may wait
    for (FakeEvent& event : s.all.events) {
        event.status = CL_COMPLETE;
    }
    s.of(*s.b) = before;
    s.one.copy_batch(Pieces::between(*s.a, *s.b, count));
    Pieces::check(contents, before, s.of(*s.b), count);
}

TEST_CASE("opencl batch: a copy down is waited for, and host memory is unchanged if it failed") {
    Pieces s;
    const auto from = s.of(*s.a) = random_bytes(Pieces::bytes);
    std::vector<char> seen = random_bytes(Pieces::bytes);
    std::vector<char> before = seen;
    s.all.next_status = CL_SUBMITTED;
    s.one.copy_batch(Pieces::down(*s.a, seen, 100));
    CHECK(s.all.waits == 1);
    Pieces::check(from, before, seen, 100);
    before = seen = random_bytes(Pieces::bytes);
    s.all.next_status = CL_OUT_OF_RESOURCES;
    s.one.copy_batch(Pieces::down(*s.a, seen, 100)); // the error is reported at the end of the queue
    CHECK(seen == before);
    s.all.next_status = CL_COMPLETE;
    CHECK(s.launches_up(100) == 1);
}

TEST_CASE("opencl batch: without memory for packs, copies are enqueued one by one, until there is memory") {
    Pieces s;
    s.all.largest_buffer = 1 << 20;
    CHECK(s.launches_up(100) == 0);
    CHECK(s.all.writes == 100);
    s.all.largest_buffer = 4 << 20;
    CHECK(s.launches_up(100) == 1);
}

TEST_CASE("opencl batch: a refused launch is reported, and the next batch works") {
    Pieces s;
    CHECK(s.launches_up(100) == 1);
    s.all.next_launch = CL_OUT_OF_RESOURCES;
    CHECK_THROWS_AS(s.one.copy_batch(Pieces::up(s.host, *s.a, 100)), ferry::Error);
    CHECK(s.launches_up(100) == 1);
    CHECK(s.launches_up(8) == 1);
}

TEST_CASE("opencl batch: sources that commands before it write are read when they have") {
    Pieces s;
    s.all.reads_late = true;
    const auto contents = s.of(*s.a) = random_bytes(Pieces::bytes);
    const auto before = s.of(*s.b);
    const auto host = s.device.allocate(MemoryKind::host, Pieces::bytes);
    s.two.read({s.a.get(), 0}, s.host.data(), Pieces::bytes);
    s.one.copy_batch(Pieces::up(s.host, *s.b, 100));
    CHECK(s.all.late_reads.empty());
    Pieces::check(contents, before, s.of(*s.b), 100);
    s.of(*s.b) = before;
    s.two.copy({s.a.get(), 0}, {host.get(), 0}, Pieces::bytes); // page-locked, and passed by its address
    std::vector<BatchCopy> copies = Pieces::up(s.host, *s.b, 100);
    for (BatchCopy& copy : copies) {
        copy.host_from =
            static_cast<const char*>(host->host) + (static_cast<const char*>(copy.host_from) - s.host.data());
    }
    s.one.copy_batch(copies);
    Pieces::check(contents, before, s.of(*s.b), 100);
}

TEST_CASE(
    "opencl batch: page-locked memory is read if the pieces are close, and written if they have no gaps") {
    Pieces s;
    const auto host = s.device.allocate(MemoryKind::host, Pieces::bytes);
    auto* const seen = static_cast<char*>(host->host);
    const auto contents = random_bytes(Pieces::bytes);
    std::copy(contents.begin(), contents.end(), seen);
    auto before = s.of(*s.a) = random_bytes(Pieces::bytes);
    s.one.copy_batch(Pieces::between(*host, *s.a, 100));
    CHECK(s.all.writes == 2); // the list and the memory
    CHECK(s.all.launches == 1);
    Pieces::check(contents, before, s.of(*s.a), 100);
    s.one.copy_batch(Pieces::between(*s.a, *host, 100)); // with gaps
    CHECK(s.all.launches == 1);
    CHECK(s.all.reads == 100);
    auto copies = Pieces::between(*s.a, *host, 100);
    for (BatchCopy& copy : copies) {
        ++copy.bytes;
    }
    const auto from = s.of(*s.a);
    s.one.copy_batch(copies);
    CHECK(s.all.launches == 2);
    CHECK(s.all.reads == 101);
    for (std::size_t i = 0; i < 100; ++i) {
        CHECK(std::equal(from.begin() + static_cast<std::ptrdiff_t>(i * 100),
                         from.begin() + static_cast<std::ptrdiff_t>(i * 100 + 100), seen + (99 - i) * 100));
    }
    const auto wide = s.device.allocate(MemoryKind::host, 100 << 20);
    copies = Pieces::between(*wide, *s.a, 100);
    copies[0].from.offset = (100U << 20) - 100;
    s.one.copy_batch(copies); // too far apart for one copy
    CHECK(s.all.launches == 2);
}

} // namespace opencl_batch_test
