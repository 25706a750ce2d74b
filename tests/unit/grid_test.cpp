// SPDX-License-Identifier: Apache-2.0
#include "device/group_size.hpp"

#include <ferry/argument.hpp>
#include <ferry/grid.hpp>
#include <ferry/host_kernel.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

using ferry::Dim3;
using ferry::Grid;

TEST_CASE("grid: a missing dimension is one") {
    CHECK(Dim3{} == Dim3{1, 1, 1});
    CHECK(Dim3{5} == Dim3{5, 1, 1});
    const Grid grid{{3, 4}, 16};
    CHECK(grid.groups == Dim3{3, 4, 1});
    CHECK(grid.local == Dim3{16, 1, 1});
}

TEST_CASE("grid: it begins at zero unless an offset is given") {
    static_assert(!Grid{4, 256}.has_offset());
    static_assert(!Grid::covering(1000, 256).has_offset());
    CHECK(Grid{}.offset == Dim3{0, 0, 0});
    CHECK(Grid{.groups = 4, .local = 256} == Grid{4, 256, {0, 0, 0}});
    CHECK(Grid{}.groups == Dim3{0, 0, 0}); // the default is no valid size
    CHECK(Grid{}.local == Dim3{0, 0, 0});
    static_assert(!Grid{4, 256}.has_items());
    static_assert(Grid::covering(10).has_items() && Grid::covering({10, 3}).items == Dim3{10, 3, 1});
    static_assert(Grid::covering(0).has_items());
    for (const Dim3& offset : {Dim3{1, 0, 0}, Dim3{0, 1, 0}, Dim3{0, 0, 1}}) {
        CHECK(Grid{4, 256, offset}.has_offset());
        CHECK(Grid{4, 256, offset} != Grid{4, 256});
    }
}

TEST_CASE("grid: covering rounds up, and only as far as it must") {
    static_assert(Grid::covering(1000, 256) == Grid{4, 256});
    for (std::size_t local = 1; local < 40; ++local) {
        for (std::size_t items = 1; items < 200; ++items) {
            const Grid grid = Grid::covering(items, local);
            REQUIRE(grid.groups.x * local >= items);
            REQUIRE((grid.groups.x - 1) * local < items);
        }
    }
    CHECK(Grid::covering({100, 50, 3}, {16, 16, 2}) == Grid{{7, 4, 2}, {16, 16, 2}});
}

TEST_CASE("grid: the preferred group size has the limits of the device") {
    ferry::DeviceInfo device;
    CHECK(ferry::detail::preferred_group_size(device) == 256); // No known limits.
    device.max_group_size = 1024;
    device.max_local = {1024, 1024, 64};
    CHECK(ferry::detail::preferred_group_size(device) == 256);
    device.max_local[0] = 96;
    CHECK(ferry::detail::preferred_group_size(device) == 96);
    device.max_group_size = 48;
    CHECK(ferry::detail::preferred_group_size(device) == 48);
}

TEST_CASE("grid: covering does not overflow and does not divide by zero") {
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    CHECK(Grid::covering(most, 2).groups.x == most / 2 + 1);
    CHECK(Grid::covering(most, most).groups.x == 1);
    CHECK(Grid::covering(0, 64).groups.x == 0);
    CHECK(Grid::covering(64, 0).groups.x == 0);
}

TEST_CASE("grid: scalar types are distinguished by size and sign") {
    using ferry::scalar_type;
    using ferry::ScalarType;
    CHECK(scalar_type<std::int8_t>() == ScalarType::i8);
    CHECK(scalar_type<std::uint16_t>() == ScalarType::u16);
    CHECK(scalar_type<std::int32_t>() == ScalarType::i32);
    CHECK(scalar_type<const unsigned long long>() == ScalarType::u64);
    CHECK(scalar_type<long>() == ScalarType::i64);
    CHECK(scalar_type<float>() == ScalarType::f32);
    CHECK(scalar_type<double>() == ScalarType::f64);
    CHECK(scalar_type<Dim3>() == ScalarType::other);
}

TEST_CASE("grid: local memory whose size overflows stays too large") {
    const auto argument =
        ferry::detail::argument(ferry::local<double>(std::numeric_limits<std::size_t>::max() / 2));
    CHECK(argument.bytes == std::numeric_limits<std::size_t>::max());
    CHECK(ferry::detail::argument(ferry::local<float>(3)).bytes == 12);
}

TEST_CASE("grid: a host group knows its work-items") {
    const ferry::HostGroup group{{2, 1, 0}, {4, 4, 4}, {8, 2, 5}};
    CHECK(group.begin_x() == 16);
    CHECK(group.end_x() == 24);
    CHECK(group.begin_y() == 2);
    CHECK(group.end_y() == 4);
    CHECK(group.begin_z() == 0);
    CHECK(group.end_z() == 5);
}
