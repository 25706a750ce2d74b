// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

using namespace conformance;
using ferry::Code;

namespace {

struct Sixteen {
    std::uint32_t words[4];
};

template <class T>
void check_fill(const ferry::Device& device) {
    ferry::Queue queue{device};
    for (const std::size_t size : odd_sizes) {
        const T value = random_values<T>(1)[0];
        auto wanted = random_values<T>(size);
        ferry::Buffer<T> buffer{device, size};
        queue.copy_and_wait(wanted, buffer); // it changes below
        const std::size_t first = random_below(size);
        const std::size_t count = 1 + random_below(size - first);
        queue.fill(buffer.subview(first, count), value);
        std::fill_n(wanted.begin() + static_cast<std::ptrdiff_t>(first), count, value);
        INFO("element of ", sizeof(T), " bytes, ", count, " from ", first, " of ", size);
        check_same(queue.read(buffer), wanted);
        queue.fill(buffer, value);
        check_same(queue.read(buffer), std::vector<T>(size, value));
    }
}

} // namespace

FERRY_TEST("fill: elements of 1 byte") {
    check_fill<std::uint8_t>(device);
}
FERRY_TEST("fill: elements of 2 bytes") {
    check_fill<std::uint16_t>(device);
}
FERRY_TEST("fill: elements of 4 bytes") {
    check_fill<std::uint32_t>(device);
}
FERRY_TEST("fill: elements of 8 bytes") {
    check_fill<std::uint64_t>(device);
}
FERRY_TEST("fill: elements of 16 bytes") {
    check_fill<Sixteen>(device);
}

FERRY_TEST("fill: floating point values keep their bits") {
    ferry::Queue queue{device};
    ferry::Buffer<float> floats{device, 77};
    queue.fill(floats, -0.1F);
    check_same(queue.read(floats), std::vector<float>(77, -0.1F));
    ferry::Buffer<double> doubles{device, 77};
    queue.fill(doubles, 1.0 / 3.0);
    check_same(queue.read(doubles), std::vector<double>(77, 1.0 / 3.0));
}

FERRY_TEST("fill: byte patterns over a buffer of another element") {
    ferry::Queue queue{device};
    for (const std::size_t size : {1U, 2U, 4U, 8U, 16U}) {
        const auto pattern = random_values<std::byte>(size);
        ferry::Buffer<std::uint8_t> buffer{device, 48};
        queue.fill_bytes(buffer, pattern);
        std::vector<std::uint8_t> wanted(48);
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = static_cast<std::uint8_t>(pattern[i % size]);
        }
        check_same(queue.read(buffer), wanted);
    }
}

FERRY_TEST("fill: a byte pattern at an offset that is no multiple of it is refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto data = random_values<std::uint8_t>(101);
    ferry::Buffer<std::uint8_t> buffer{device, data.size()};
    queue.copy_and_wait(data, buffer);
    for (const std::size_t size : {2U, 4U, 8U, 16U}) {
        const std::vector<std::byte> pattern(size);
        expect_error(Code::invalid_argument, {"offset", "3", std::to_string(size)},
                     [&] { queue.fill_bytes(buffer.subview(3, 4 * size), pattern); });
    }
    check_same(queue.read(buffer), data);
}

FERRY_TEST("fill: the value is captured during the call") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint64_t> buffer{device, 100'003};
    std::uint64_t value = 0x1122334455667788;
    std::array<std::byte, 8> pattern{};
    std::memcpy(pattern.data(), &value, sizeof value);
    queue.fill_bytes(buffer, pattern);
    pattern.fill(std::byte{0});
    check_same(queue.read(buffer), std::vector<std::uint64_t>(100'003, value));
    queue.fill(buffer, value);
    value = 0;
    check_same(queue.read(buffer), std::vector<std::uint64_t>(100'003, 0x1122334455667788));
}

FERRY_TEST("fill: patterns of other sizes are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto data = random_values<std::uint8_t>(48);
    ferry::Buffer<std::uint8_t> buffer{device, 48};
    queue.copy_and_wait(data, buffer);
    for (const std::size_t size : {0U, 3U, 5U, 12U, 24U, 32U}) {
        const std::vector<std::byte> pattern(size);
        INFO("pattern of ", size, " bytes");
        expect_error(Code::invalid_argument, {std::to_string(size)},
                     [&] { queue.fill_bytes(buffer, pattern); });
    }
    const std::vector<std::byte> eight(8);
    expect_error(Code::invalid_argument, {"8", "47"}, [&] { queue.fill_bytes(buffer.first(47), eight); });
    check_same(queue.read(buffer), data);
}

FERRY_TEST("fill: nothing is a no-op") {
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> none{device, 0};
    ferry::Buffer<std::uint32_t> buffer{device, 5};
    const auto data = random_values<std::uint32_t>(5);
    queue.copy(data, buffer);
    queue.fill(none, 1U);
    queue.fill(buffer.last(0), 1U);
    check_same(queue.read(buffer), data);
}
