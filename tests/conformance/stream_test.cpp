// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Access;
using ferry::Code;
using Words = std::vector<std::uint32_t>;

FERRY_TEST("stream: every element once, whatever the chunks and slots") {
    const Unchanged unchanged{device};
    const ferry::Kernel add = kernel(device, "add");
    for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{4097}}) {
        for (const std::size_t chunk :
             {std::size_t{4}, std::size_t{403}, std::size_t{4096}, std::size_t{1} << 20}) {
            if (size / (chunk / 4) > 300) {
                continue;
            }
            for (const std::size_t slots : {std::size_t{1}, std::size_t{2}, std::size_t{5}}) {
                Words data = random_values<std::uint32_t>(size);
                Words wanted = data;
                for (std::uint32_t& v : wanted) {
                    v += 7;
                }
                std::size_t last = 0;
                ferry::for_each_chunk(
                    device, data, Access::device_updates,
                    {.chunk_bytes = chunk,
                     .slots = slots,
                     .progress =
                         [&](std::size_t done, std::size_t total) {
                             CHECK(done > last);
                             CHECK(total == size);
                             last = done;
                         }},
                    [&](ferry::Queue& queue, ferry::View<std::uint32_t> part, std::size_t first) {
                        CHECK(first % (chunk / 4) == 0);
                        queue.launch(add, ferry::Grid::covering(part.size(), 32), part,
                                     static_cast<std::uint32_t>(part.size()), 7U);
                    });
                CHECK(last == size);
                check_same(data, wanted);
            }
        }
    }
}

FERRY_TEST("stream: data that is only written is not copied up, data that is only read is not copied back") {
    Words data(5000);
    ferry::for_each_chunk(device, data, Access::device_writes, {.chunk_bytes = 4096},
                          [&](ferry::Queue& queue, ferry::View<std::uint32_t> part, std::size_t first) {
                              queue.launch(kernel(device, "iota"), ferry::Grid::covering(part.size(), 32),
                                           part, static_cast<std::uint32_t>(part.size()),
                                           static_cast<std::uint32_t>(first));
                          });
    for (std::uint32_t i = 0; i < 5000; ++i) {
        REQUIRE(data[i] == i);
    }
    const Words& constant = data;
    std::vector<Words> seen;
    ferry::for_each_chunk(device, constant, Access::device_reads, {.chunk_bytes = 8000},
                          [&](ferry::Queue& queue, ferry::View<const std::uint32_t> part, std::size_t) {
                              seen.push_back(queue.read(part));
                          });
    REQUIRE(seen.size() == 3);
    CHECK(seen[2][999] == 4999);
}

FERRY_TEST("stream: a chunk may be larger than all memory") {
    std::vector<std::uint8_t> data = random_values<std::uint8_t>(1009);
    std::size_t calls = 0;
    ferry::for_each_chunk(device, data, Access::device_updates, {.chunk_bytes = SIZE_MAX},
                          [&](ferry::Queue& queue, ferry::View<std::uint8_t> part, std::size_t first) {
                              ++calls;
                              CHECK(first == 0);
                              queue.fill(part, std::uint8_t{93});
                          });
    CHECK(calls == 1);
    check_same(data, std::vector<std::uint8_t>(1009, 93));
}

FERRY_TEST("stream: more data than the device has memory") {
    const std::uint64_t memory = device.info().total_memory;
    if (memory > std::uint64_t{256} << 20) {
        throw ferry::Error(Code::unsupported, "Device " + device.id() + " has too much memory for that.");
    }
    const Unchanged unchanged{device};
    Words data(memory / sizeof(std::uint32_t) * 5 / 4 + 1);
    const auto seed = random_values<std::uint32_t>(1).front();
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = seed + static_cast<std::uint32_t>(i) * 2654435761U;
    }
    const ferry::Kernel add = kernel(device, "add");
    ferry::for_each_chunk(device, data, Access::device_updates, {.chunk_bytes = (std::size_t{16} << 20) + 4},
                          [&](ferry::Queue& queue, ferry::View<std::uint32_t> part, std::size_t) {
                              queue.launch(add, ferry::Grid::covering(part.size(), 128), part,
                                           static_cast<std::uint32_t>(part.size()), 11U);
                          });
    for (std::size_t i = 0; i < data.size(); ++i) {
        REQUIRE(data[i] == seed + static_cast<std::uint32_t>(i) * 2654435761U + 11U);
    }
}

FERRY_TEST("stream: bad options, and work that throws") {
    const Unchanged unchanged{device};
    Words data(1000);
    const auto nothing = [](ferry::Queue&, ferry::View<std::uint32_t>, std::size_t) {};
    expect_error(Code::invalid_argument, {"3 bytes", "4 bytes"}, [&] {
        ferry::for_each_chunk(device, data, Access::device_updates, {.chunk_bytes = 3}, nothing);
    });
    expect_error(Code::invalid_argument, {"65", "64"}, [&] {
        ferry::for_each_chunk(device, data, Access::device_updates, {.slots = 65}, nothing);
    });
    expect_error(Code::invalid_argument, {"memory to stream", "null pointer", "10 elements"}, [&] {
        const std::span<std::uint32_t> none{static_cast<std::uint32_t*>(nullptr), 10};
        ferry::for_each_chunk(device, none, Access::device_reads, {}, nothing);
    });
    std::size_t calls = 0;
    CHECK_THROWS_AS(ferry::for_each_chunk(device, data, Access::device_updates, {.chunk_bytes = 400},
                                          [&](ferry::Queue&, ferry::View<std::uint32_t>, std::size_t) {
                                              if (++calls == 4) {
                                                  throw std::runtime_error("enough");
                                              }
                                          }),
                    std::runtime_error);
    CHECK(calls == 4);
    Words none;
    ferry::for_each_chunk(device, none, Access::device_updates, {}, nothing);
}

FERRY_TEST("stream: pages that are not mapped, or cannot be written, are refused before anything is copied") {
    const Unchanged unchanged{device};
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    auto* const pages = static_cast<std::byte*>(
        mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    REQUIRE(pages != MAP_FAILED);
    const std::span<std::uint32_t> data{reinterpret_cast<std::uint32_t*>(pages), 3 * page / 4};
    std::size_t calls = 0;
    const auto count = [&](ferry::Queue& queue, ferry::View<std::uint32_t> part, std::size_t) {
        ++calls;
        queue.fill(part, std::uint32_t{7});
    };
    const ferry::StreamOptions options{.chunk_bytes = page};
    mprotect(pages + page, page, PROT_READ);
    expect_error(Code::invalid_argument,
                 {"memory to stream", "not writable", std::to_string(page) + " bytes"},
                 [&] { ferry::for_each_chunk(device, data, Access::device_writes, options, count); });
    CHECK(calls == 0);
    ferry::for_each_chunk(device, data, Access::device_reads, options, count); // only read
    CHECK(calls == 3);
    mprotect(pages + page, page, PROT_NONE);
    expect_error(Code::invalid_argument, {"memory to stream", "not readable"},
                 [&] { ferry::for_each_chunk(device, data, Access::device_reads, options, count); });
    CHECK(calls == 3);
    munmap(pages, 3 * page);
}
