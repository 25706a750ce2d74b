// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;

FERRY_TEST("buffer: it has its size, kind and device") {
    for (const std::size_t size : odd_sizes) {
        ferry::Buffer<double> buffer{device, size};
        CHECK(buffer.size() == size);
        CHECK(buffer.size_bytes() == size * 8);
        CHECK_FALSE(buffer.empty());
        CHECK(buffer.device() == device);
        CHECK(buffer.kind() == ferry::MemoryKind::device);
    }
}

FERRY_TEST("buffer: every byte can be written and read back") {
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        const auto data = random_values<std::uint8_t>(size);
        ferry::Buffer<std::uint8_t> buffer{device, size};
        queue.copy(data, buffer);
        check_same(queue.read(buffer), data);
    }
}

FERRY_TEST("buffer: elements may be structs") {
    struct Particle {
        float position[3];
        std::int32_t id;
    };
    const auto data = random_values<Particle>(101);
    ferry::Queue queue{device};
    ferry::Buffer<Particle> buffer{device, data.size()};
    queue.copy(data, buffer);
    check_same(queue.read(buffer), data);
}

FERRY_TEST("buffer: elements are aligned as their type requires") {
    struct alignas(ferry::max_element_alignment) Aligned {
        std::uint8_t bytes[ferry::max_element_alignment];
    };
    ferry::Queue queue{device};
    // their random sizes move the next buffer to any address
    std::vector<ferry::Buffer<std::uint8_t>> between;
    for (const std::size_t size : odd_sizes) {
        for (const ferry::MemoryKind kind :
             {ferry::MemoryKind::device, ferry::MemoryKind::host, ferry::MemoryKind::shared}) {
            if (!device.has(kind)) {
                continue;
            }
            INFO(size, " elements in ", std::string(ferry::to_string(kind)), " memory");
            const auto is_aligned = [](const Aligned* at) {
                return reinterpret_cast<std::uintptr_t>(at) % ferry::max_element_alignment == 0;
            };
            between.emplace_back(device, size, kind);
            ferry::Buffer<Aligned> buffer{device, std::min<std::size_t>(size, 1000) + 1, kind};
            for (const ferry::Map access : {ferry::Map::read_write, ferry::Map::discard}) {
                for (const std::size_t first : {0U, 1U}) {
                    const auto mapping = buffer.subview(first).map(queue, access);
                    CHECK(is_aligned(mapping.data()));
                    std::memset(mapping.data(), 0, mapping.size() * sizeof(Aligned));
                }
            }
            if (kind != ferry::MemoryKind::device) {
                CHECK(is_aligned(buffer.span().data()));
            }
        }
    }
}

FERRY_TEST("buffer: zero elements allocate nothing") {
    const Unchanged unchanged{device};
    const std::uint64_t before = device.memory().used_here;
    ferry::Buffer<int> buffer{device, 0};
    CHECK(buffer.empty());
    CHECK(buffer.size() == 0);
    CHECK(device.memory().used_here == before);
    ferry::Queue queue{device};
    CHECK(queue.read(buffer).empty());
}

FERRY_TEST("buffer: memory in use is counted and given back") {
    const std::uint64_t before = device.memory().used_here;
    {
        ferry::Buffer<std::uint8_t> first{device, 1 << 20};
        CHECK(device.memory().used_here >= before + (1 << 20));
        ferry::Buffer<std::uint8_t> second{device, 3 << 20};
        CHECK(device.memory().used_here >= before + (4 << 20));
        first = std::move(second);
        CHECK(device.memory().used_here >= before + (3 << 20));
        CHECK(device.memory().used_here < before + (4 << 20));
    }
    CHECK(device.memory().used_here == before);
}

FERRY_TEST("buffer: many buffers do not overlap") {
    ferry::Queue queue{device};
    std::vector<ferry::Buffer<std::uint32_t>> buffers;
    std::vector<std::vector<std::uint32_t>> contents;
    for (int i = 0; i < 60; ++i) {
        contents.push_back(random_values<std::uint32_t>(1 + random_below(3000)));
        buffers.emplace_back(device, contents.back().size());
        queue.copy(contents.back(), buffers.back());
    }
    queue.finish();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        check_same(queue.read(buffers[i]), contents[i]);
    }
}

FERRY_TEST("buffer: moving keeps the contents and the views") {
    const auto data = random_values<std::uint32_t>(333);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, data.size()};
    const ferry::View<std::uint32_t> view = buffer.view();
    queue.copy(data, buffer);
    ferry::Buffer<std::uint32_t> other = std::move(buffer);
    CHECK(buffer.empty()); // NOLINT(bugprone-use-after-move): that is the behaviour under test
    CHECK(other.size() == data.size());
    check_same(queue.read(other), data);
    check_same(queue.read(view), data);
}

FERRY_TEST("buffer: destroyed while commands use it, they still run right") {
    const auto data = random_values<std::uint32_t>(50'021);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> result{device, data.size()};
    for (int round = 0; round < 20; ++round) {
        ferry::Buffer<std::uint32_t> passing{device, data.size()};
        queue.copy(data, passing);
        queue.copy(passing, result);
    }
    check_same(queue.read(result), data);
}

FERRY_TEST("buffer: a size that overflows is refused") {
    const Unchanged unchanged{device};
    const std::size_t huge = std::numeric_limits<std::size_t>::max() / 4;
    expect_error(Code::out_of_range, {std::to_string(huge), "8"},
                 [&] { ferry::Buffer<double> buffer(device, huge); });
    expect_error(Code::out_of_range, {std::to_string(std::numeric_limits<std::size_t>::max())}, [&] {
        ferry::Buffer<std::uint16_t> buffer(device, std::numeric_limits<std::size_t>::max());
    });
}

FERRY_TEST("buffer: more than the device has is refused and the next allocation works") {
    const Unchanged unchanged{device};
    const std::uint64_t total = device.info().total_memory;
    REQUIRE(total > 0);
    const std::uint64_t size = total * 2;
    expect_error(Code::out_of_memory, {std::to_string(size)},
                 [&] { ferry::Buffer<std::uint8_t> buffer(device, static_cast<std::size_t>(size)); });
    ferry::Buffer<std::uint8_t> next{device, 1000};
    CHECK(next.size() == 1000);
}

FERRY_TEST("buffer: more than one allocation may be is refused, naming the limit") {
    const Unchanged unchanged{device};
    const std::uint64_t limit = device.info().max_allocation;
    REQUIRE(limit > 0);
    CHECK(device.memory().max_allocation == limit);
    expect_error(Code::out_of_memory, {std::to_string(limit + 1), std::to_string(limit)},
                 [&] { ferry::Buffer<std::uint8_t> buffer(device, static_cast<std::size_t>(limit) + 1); });
}

FERRY_TEST("buffer: no host span of device memory") {
    ferry::Buffer<int> buffer{device, 10};
    try {
        // on some devices the host can access all of the memory
        const std::size_t size = buffer.span().size();
        CHECK(size == 10);
    } catch (const ferry::Error& error) {
        CHECK(error.code() == Code::unsupported);
        CHECK(std::string(error.what()).find("map") != std::string::npos);
    }
}

FERRY_TEST("buffer: a moved-from one is refused by every command") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> gone{device, 64};
    ferry::Buffer<std::uint32_t> buffer = std::move(gone);
    std::vector<std::uint32_t> host(64, 1U);
    std::vector<std::uint32_t> nothing;
    const auto refused = [&](const char* what, const std::function<void()>& call,
                             ferry::SourceLocation here = ferry::SourceLocation::current()) {
        expect_error(Code::invalid_state, {what, "moved from"}, call, here);
    };
    const ferry::Kernel add = kernel(device, "add");
    const ferry::Kernel is_null = kernel(device, "is_null");
    // NOLINTBEGIN(bugprone-use-after-move): that is the behaviour under test
    const ferry::View<std::uint32_t> view = gone;
    CHECK(view.offset_bytes() == 0);
    refused("Argument 0", [&] { queue.launch(add, {1, 64}, gone, 64U, 1U); });
    refused("'is_null'", [&] { queue.launch(is_null, {1, 1}, gone, buffer); });
    refused("'is_null'", [&] { queue.launch(is_null, {1, 1}, view.first(0), buffer); });
    refused("source of the copy", [&] { queue.copy(gone, buffer); });
    refused("destination of the copy", [&] { queue.copy(buffer, gone); });
    refused("source of the copy", [&] { queue.copy(gone, host); });
    refused("source of the copy", [&] { (void)queue.read(gone); });
    refused("destination of the copy", [&] { queue.copy(host, gone); });
    refused("destination of the copy", [&] { queue.copy(nothing, gone); });
    refused("destination of the copy", [&] { queue.copy_and_wait(nothing, view); });
    refused("The buffer to fill", [&] { queue.fill(gone, 1U); });
    refused("The buffer to map", [&] { (void)gone.map(queue, ferry::Map::read); });
    refused("source of the copy", [&] {
        queue.copy(ferry::Box(view, {0, 0, 0}), ferry::HostBox(nothing, {0, 0, 0}));
    });
    ferry::Batch batch;
    refused("source of a copy of the batch", [&] { batch.copy(gone, nothing); });
    refused("destination of a copy of the batch", [&] { batch.copy(buffer, gone); });
    refused("source of a file", [&] { ferry::write_file(queue, gone, "/nowhere/at/all"); });
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   refused("source of the copy", [&] { record.copy(gone, buffer); });
                                   refused("destination of the copy", [&] { record.copy(host, gone); });
                                   refused("source of the copy", [&] { record.copy(gone, host); });
                                   refused("The buffer to fill", [&] { record.fill(gone, 1U); });
                                   refused("Argument 0", [&] { record.launch(add, {1, 1}, gone, 1U, 1U); });
                                   step = record.launch(add, {1, 64}, buffer, 64U, 1U);
                               }};
    refused("Argument 0", [&] { recording.set(step, 0, gone); });
    queue.copy(host, buffer);
    queue.replay(recording);
    gone = std::move(buffer);
    CHECK(queue.read(gone) == std::vector<std::uint32_t>(64, 2U));
    refused("Argument 0", [&] { queue.launch(add, {1, 64}, buffer, 64U, 1U); });
    // NOLINTEND(bugprone-use-after-move)
}

FERRY_TEST("buffer: an empty one that was not moved from is accepted by every command") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> none{device, 0};
    ferry::Buffer<std::uint32_t> made;
    ferry::Buffer<std::uint32_t> moved_to = ferry::Buffer<std::uint32_t>{device, 0};
    ferry::Buffer<std::uint32_t> out{device, 1};
    std::vector<std::uint32_t> nothing;
    for (ferry::Buffer<std::uint32_t>* const empty : {&none, &made, &moved_to}) {
        queue.fill(out, 7U);
        queue.launch(kernel(device, "is_null"), {1, 1}, *empty, out);
        CHECK(queue.read(out).front() == 1);
        queue.copy(nothing, *empty);
        queue.copy(*empty, nothing);
        queue.copy(*empty, none);
        queue.fill(*empty, 1U);
        CHECK(empty->map(queue, ferry::Map::read).size() == 0);
        CHECK(ferry::Batch().copy(*empty, nothing).empty());
    }
    queue.finish();
}

TEST_CASE("buffer: the empty buffer has no device") {
    ferry::Buffer<int> buffer;
    CHECK(buffer.empty());
    CHECK(buffer.size_bytes() == 0);
    expect_error(Code::invalid_state, {}, [&] { (void)buffer.device(); });
}
