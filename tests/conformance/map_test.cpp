// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Map;

namespace {

/// A buffer of random numbers, and its contents.
struct Filled {
    std::vector<std::uint32_t> data;
    ferry::Buffer<std::uint32_t> buffer;
    Filled(ferry::Queue& queue, std::size_t size)
        : data(random_values<std::uint32_t>(size)), buffer(queue.device(), size) {
        queue.copy_and_wait(data, buffer);
    }
};

} // namespace

FERRY_TEST("map: read shows the writes of earlier commands") {
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        ferry::Buffer<std::uint32_t> buffer{device, size};
        queue.launch(kernel(device, "iota"), ferry::Grid::covering(size, 32), buffer,
                     static_cast<std::uint32_t>(size), 17U);
        const auto mapping = buffer.map(queue, Map::read);
        REQUIRE(mapping.size() == size);
        std::vector<std::uint32_t> wanted(size);
        for (std::uint32_t i = 0; i < size; ++i) {
            wanted[i] = 17 + i;
        }
        check_same(std::vector<std::uint32_t>(mapping.begin(), mapping.end()), wanted);
    }
}

FERRY_TEST("map: write keeps the elements that the host does not write, and later commands see its writes") {
    ferry::Queue queue{device};
    Filled filled(queue, 1009);
    {
        auto mapping = filled.buffer.map(queue, Map::write);
        for (std::size_t i = 0; i < mapping.size(); i += 3) {
            mapping[i] = static_cast<std::uint32_t>(i);
            filled.data[i] = static_cast<std::uint32_t>(i);
        }
    }
    ferry::Buffer<std::uint32_t> copy{device, filled.data.size()};
    queue.copy(filled.buffer, copy);
    check_same(queue.read(copy), filled.data);
}

FERRY_TEST("map: read_write shows and changes") {
    ferry::Queue queue{device};
    Filled filled(queue, 257);
    auto mapping = filled.buffer.map(queue, Map::read_write);
    check_same(std::vector<std::uint32_t>(mapping.begin(), mapping.end()), filled.data);
    for (std::size_t i = 0; i < mapping.size(); ++i) {
        mapping[i] = ~mapping[i];
        filled.data[i] = ~filled.data[i];
    }
    mapping.unmap();
    CHECK(mapping.span().empty());
    mapping.unmap();
    check_same(queue.read(filled.buffer), filled.data);
}

FERRY_TEST("map: discard of a range replaces it and nothing else") {
    ferry::Queue queue{device};
    Filled filled(queue, 3001);
    for (int round = 0; round < 10; ++round) {
        const std::size_t first = random_below(filled.data.size());
        const std::size_t count = 1 + random_below(filled.data.size() - first);
        const auto fresh = random_values<std::uint32_t>(count);
        {
            auto mapping = filled.buffer.subview(first, count).map(queue, Map::discard);
            REQUIRE(mapping.size() == count);
            std::copy(fresh.begin(), fresh.end(), mapping.begin());
        }
        std::copy(fresh.begin(), fresh.end(), filled.data.begin() + static_cast<std::ptrdiff_t>(first));
        check_same(queue.read(filled.buffer), filled.data);
    }
}

FERRY_TEST("map: a range maps that range") {
    ferry::Queue queue{device};
    Filled filled(queue, 501);
    const auto mapping = filled.buffer.subview(100, 50).map(queue, Map::read);
    check_same(std::vector<std::uint32_t>(mapping.begin(), mapping.end()),
               std::vector<std::uint32_t>(filled.data.begin() + 100, filled.data.begin() + 150));
}

FERRY_TEST("map: moves, and the moved-from mapping is empty") {
    ferry::Queue queue{device};
    Filled filled(queue, 64);
    ferry::Mapping<std::uint32_t> outer;
    {
        auto inner = filled.buffer.map(queue, Map::read_write);
        outer = std::move(inner);
        CHECK(inner.span().empty()); // NOLINT(bugprone-use-after-move): that is the behaviour under test
    }
    outer[3] = 99;
    filled.data[3] = 99;
    outer.unmap();
    check_same(queue.read(filled.buffer), filled.data);
}

FERRY_TEST("map: several for reading, which commands may read") {
    ferry::Queue queue{device};
    Filled filled(queue, 300);
    const auto first = filled.buffer.map(queue, Map::read);
    const auto second = filled.buffer.subview(10, 20).map(queue, Map::read);
    ferry::Buffer<std::uint32_t> copy{device, 300};
    queue.copy(filled.buffer, copy);
    check_same(queue.read(copy), filled.data);
    CHECK(first[10] == second[0]);
}

FERRY_TEST("map: mapped for writing, neither commands nor other mappings") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    Filled filled(queue, 100);
    ferry::Buffer<std::uint32_t> other{device, 100};
    for (const Map access : {Map::write, Map::read_write, Map::discard}) {
        INFO("mapped for ", std::string(ferry::to_string(access)));
        auto mapping = filled.buffer.map(queue, access);
        std::copy(filled.data.begin(), filled.data.end(), mapping.begin());
        expect_error(Code::invalid_state, {"mapped"}, [&] { (void)filled.buffer.map(queue, Map::read); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { (void)filled.buffer.map(queue, Map::write); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.copy(filled.buffer, other); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.copy(other, filled.buffer); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.fill(filled.buffer, 1U); });
        expect_error(Code::invalid_state, {"mapped"}, [&] {
            queue.launch(kernel(device, "add"), {1, 100}, filled.buffer, 100U, 1U);
        });
    }
    check_same(queue.read(filled.buffer), filled.data);
}

FERRY_TEST("map: mapped for reading, no mapping for writing and no command that writes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    Filled filled(queue, 100);
    {
        const auto mapping = filled.buffer.map(queue, Map::read);
        expect_error(Code::invalid_state, {"mapped"}, [&] { (void)filled.buffer.map(queue, Map::write); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.fill(filled.buffer, 1U); });
        expect_error(Code::invalid_state, {"mapped"}, [&] { queue.copy(filled.data, filled.buffer); });
    }
    { const auto again = filled.buffer.map(queue, Map::write); }
}

FERRY_TEST("map: parts that do not overlap may both be mapped for writing") {
    ferry::Queue queue{device};
    Filled filled(queue, 100);
    {
        auto left = filled.buffer.first(50).map(queue, Map::discard);
        auto right = filled.buffer.last(50).map(queue, Map::discard);
        std::fill(left.begin(), left.end(), 1U);
        std::fill(right.begin(), right.end(), 2U);
    }
    std::vector<std::uint32_t> wanted(50, 1U);
    wanted.resize(100, 2U);
    check_same(queue.read(filled.buffer), wanted);
}

FERRY_TEST("map: the bytes are there when the call returns, also while other threads hand the queue over") {
    ferry::Queue queue{device};
    Filled filled(queue, 161);
    std::vector<std::jthread> others;
    others.reserve(2);
    for (int i = 0; i < 2; ++i) {
        others.emplace_back([&](const std::stop_token& over) {
            while (!over.stop_requested()) {
                queue.record().wait(); // flushes without holding the queue's lock
            }
        });
    }
    for (std::uint32_t round = 0; round < 500; ++round) {
        auto mapping = filled.buffer.map(queue, Map::read_write);
        REQUIRE(std::equal(mapping.begin(), mapping.end(), filled.data.begin()));
        mapping[round % 161] = filled.data[round % 161] = round;
        mapping.unmap();
    }
}

FERRY_TEST("map: a view of const elements is mapped for reading only") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    Filled filled(queue, 100);
    const ferry::View<const std::uint32_t> view = filled.buffer.subview(10, 50);
    for (const Map access : {Map::write, Map::read_write, Map::discard}) {
        const std::string words = "mapped for " + std::string(ferry::to_string(access));
        expect_error(Code::invalid_argument, {"const", words, "for read"},
                     [&] { (void)view.map(queue, access); });
        expect_error(Code::invalid_argument, {"const", words},
                     [&] { (void)view.first(0).map(queue, access); });
    }
    check_same(queue.read(filled.buffer), filled.data);
    const auto mapping = view.map(queue, Map::read);
    CHECK(std::equal(mapping.begin(), mapping.end(), filled.data.begin() + 10));
}

FERRY_TEST("map: zero elements map to nothing") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> buffer{device, 10};
    auto mapping = buffer.first(0).map(queue, Map::write);
    CHECK(mapping.span().empty());
    mapping.unmap();
    const auto none = ferry::View<std::uint32_t>{}.map(queue, Map::read);
    CHECK(none.size() == 0);
}

FERRY_PAIR_TEST("map: the queue of another device is refused") {
    ferry::Queue queue{from};
    ferry::Buffer<std::uint32_t> buffer{to, 10};
    expect_error(Code::invalid_argument, {from.id(), to.id()}, [&] { (void)buffer.map(queue, Map::read); });
}
