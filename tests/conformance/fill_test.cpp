// SPDX-License-Identifier: Apache-2.0
#include "box_model.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "imports.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
        queue.copy_and_wait(wanted, buffer); // blocks, because the source changes below
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

void check_patterns(const ferry::Device& device) {
    ferry::Queue queue{device};
    for (const auto kind : all_kinds(device)) {
        for (const std::size_t size :
             {1U,  2U,  3U,  4U,  5U,   6U,   7U,   8U,   9U,    12U,   15U,   16U,   24U,
              31U, 32U, 48U, 64U, 100U, 128U, 160U, 257U, 1000U, 1024U, 1025U, 4096U, 65'536U}) {
            const auto pattern = random_values<std::byte>(size);
            const std::size_t times = size > 4000 ? 3 : 1 + random_below(200);
            const std::size_t offset = random_below(70);
            auto wanted = random_values<std::uint8_t>(offset + times * size + random_below(40));
            ferry::Buffer<std::uint8_t> buffer{device, wanted.size(), kind};
            queue.copy_and_wait(wanted, buffer);
            queue.fill_bytes(buffer.subview(offset, times * size), pattern);
            for (std::size_t i = 0; i < times * size; ++i) {
                wanted[offset + i] = static_cast<std::uint8_t>(pattern[i % size]);
            }
            INFO(times, " times ", size, " bytes at ", offset, " in ", std::string(to_string(kind)),
                 " memory");
            check_same(queue.read(buffer), wanted);
        }
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

FERRY_TEST("fill: patterns of any size, at any offset, over memory of every kind") {
    check_patterns(device);
    ferry::Queue queue{device};
    ferry::Buffer<std::uint8_t> large{device, std::size_t{3} << 20};
    queue.fill_bytes(large,
                     random_values<std::byte>(12)); // if Ferry's own kernel is used, it is built from here on
    check_patterns(device);
}

FERRY_TEST("fill: large ones of odd patterns") {
    ferry::Queue queue{device};
    for (const std::size_t size : {3U, 12U, 100U, 1000U, 5000U}) {
        const auto pattern = random_values<std::byte>(size);
        const std::size_t bytes = (std::size_t{20} << 20) / size * size;
        ferry::Buffer<std::uint8_t> buffer{device, bytes + 8};
        queue.fill(buffer, std::uint8_t{0x5a});
        queue.fill_bytes(buffer.subview(1, bytes), pattern);
        const auto seen = queue.read(buffer);
        CHECK(seen[0] == 0x5a);
        for (std::size_t i = 0; i < bytes; ++i) {
            if (seen[1 + i] != static_cast<std::uint8_t>(pattern[i % size])) {
                FAIL("pattern of ", size, " bytes: byte ", i, " is wrong");
            }
        }
        for (std::size_t i = bytes + 1; i < seen.size(); ++i) {
            CHECK(seen[i] == 0x5a);
        }
    }
}

FERRY_TEST("fill: large ones begin and end anywhere, and change nothing around them") {
    ferry::Queue queue{device};
    // Multiples of the sizes that vendors fill. From 16 MiB on, some devices use Ferry's own kernel.
    for (const std::size_t size :
         {1U, 4U, 16U, 128U, 2U, 3U, 5U, 12U, 24U, 48U, 64U, 80U, 100U, 257U, 6144U, 65'535U}) {
        const bool vendors = size == 1 || size == 4 || size == 16 || size == 128;
        const std::size_t least = vendors ? std::size_t{16} << 20 : std::size_t{1} << 20;
        const std::size_t bytes = (least / size + 1 + random_below(3000 / size + 2)) * size;
        const std::size_t offset = vendors ? size * random_below(40) : random_below(70);
        const auto pattern = random_values<std::byte>(size);
        const auto poison = static_cast<std::uint8_t>(random_below(256));
        std::vector<std::uint8_t> wanted(offset + bytes + 1 + random_below(70), poison);
        ferry::Buffer<std::uint8_t> buffer{device, wanted.size()};
        queue.fill(buffer, poison);
        queue.fill_bytes(buffer.subview(offset, bytes), pattern);
        for (std::size_t i = 0; i < bytes; i += size) {
            std::memcpy(wanted.data() + offset + i, pattern.data(), size);
        }
        const auto seen = queue.read(buffer);
        if (seen != wanted) {
            const auto [at, other] = std::mismatch(seen.begin(), seen.end(), wanted.begin());
            FAIL("pattern of ", size, " bytes over ", bytes, " at ", offset, ": byte ", at - seen.begin(),
                 " is ", unsigned{*at}, ", not ", unsigned{*other});
        }
    }
}

FERRY_TEST("fill: patterns that repeat in themselves") {
    ferry::Queue queue{device};
    for (const std::size_t inner : {1U, 2U, 3U, 4U}) {
        for (const std::size_t size : {12U, 24U, 36U}) {
            std::vector<std::byte> pattern(size);
            for (std::size_t i = 0; i < size; ++i) {
                pattern[i] = static_cast<std::byte>(7 * (i % inner) + 1);
            }
            for (std::size_t offset = 0; offset < 5; ++offset) {
                std::vector<std::uint8_t> wanted(size * 11 + 9, 0xee);
                ferry::Buffer<std::uint8_t> buffer{device, wanted.size()};
                queue.fill(buffer, std::uint8_t{0xee});
                queue.fill_bytes(buffer.subview(offset, size * 11), pattern);
                for (std::size_t i = 0; i < size * 11; ++i) {
                    wanted[offset + i] = static_cast<std::uint8_t>(pattern[i % size]);
                }
                check_same(queue.read(buffer), wanted);
            }
        }
    }
}

FERRY_TEST("fill: elements that are structs of 3 and of 12 bytes") {
    struct Rgb {
        std::uint8_t r, g, b;
    };
    struct Point {
        float x, y, z;
    };
    ferry::Queue queue{device};
    ferry::Buffer<Rgb> picture{device, 1001};
    queue.fill(picture, {1, 2, 3});
    queue.fill(picture.subview(7, 500), {4, 5, 6});
    const auto seen = queue.read(picture);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const bool inside = i >= 7 && i < 507;
        REQUIRE(seen[i].r == (inside ? 4 : 1));
        REQUIRE(seen[i].g == (inside ? 5 : 2));
        REQUIRE(seen[i].b == (inside ? 6 : 3));
    }
    ferry::Buffer<Point> points{device, 333};
    queue.fill(points, {0.5F, -1.0F, 3.25F});
    for (const Point& p : queue.read(points)) {
        REQUIRE(p.x == 0.5F);
        REQUIRE(p.y == -1.0F);
        REQUIRE(p.z == 3.25F);
    }
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

FERRY_TEST("fill: a long pattern is captured during the call") {
    ferry::Queue queue{device};
    for (const std::size_t size : {12U, 1000U, 30'000U}) {
        auto pattern = random_values<std::byte>(size);
        const auto kept = pattern;
        ferry::Buffer<std::byte> buffer{device, 7 * size};
        queue.fill_bytes(buffer, pattern);
        std::fill(pattern.begin(), pattern.end(), std::byte{0});
        const auto seen = queue.read(buffer);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            REQUIRE(seen[i] == kept[i % size]);
        }
    }
}

FERRY_TEST("import: a fill repeats a long pattern, and the pattern stays as it is") {
    ferry::Queue queue{device};
    for (const std::size_t size : {1000U, 1025U, 30'000U}) {
        auto memory = random_values<std::byte>(7 * size);
        auto pattern = random_values<std::byte>(size);
        const auto kept = pattern;
        {
            const Import imported{device, memory};
            queue.fill_bytes(*imported, pattern);
            queue.finish();
        }
        REQUIRE(pattern == kept);
        for (std::size_t i = 0; i < memory.size(); ++i) {
            REQUIRE(memory[i] == kept[i % size]);
        }
    }
}

FERRY_TEST("fill: patterns that do not fit are refused and nothing changes") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const auto data = random_values<std::uint8_t>(48);
    ferry::Buffer<std::uint8_t> buffer{device, 48};
    queue.copy_and_wait(data, buffer);
    for (const std::size_t size : {5U, 7U, 32U, 96U}) {
        const std::vector<std::byte> pattern(size);
        expect_error(Code::invalid_argument, {std::to_string(size) + " bytes", "48 bytes", "multiple"},
                     [&] { queue.fill_bytes(buffer, pattern); });
    }
    for (const std::size_t size : {std::size_t{0}, ferry::largest_fill_pattern + 1}) {
        const std::vector<std::byte> pattern(size);
        expect_error(Code::invalid_argument, {std::to_string(size), "65536"},
                     [&] { queue.fill_bytes(buffer, pattern); });
    }
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
