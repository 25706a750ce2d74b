// SPDX-License-Identifier: Apache-2.0
#include "base/range_set.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using ferry::detail::ByteRange;
using ferry::detail::RangeSet;

TEST_CASE("range sets: touching ranges are one, removal splits") {
    RangeSet set;
    set.add({10, 20});
    set.add({30, 40});
    set.add({20, 30});
    CHECK(set.ranges() == std::vector<ByteRange>{{10, 40}});
    set.remove({15, 16});
    CHECK(set.ranges() == std::vector<ByteRange>{{10, 15}, {16, 40}});
    CHECK(set.holds({16, 40}));
    CHECK(!set.holds({14, 16}));
    CHECK(set.missing({0, 50}) == std::vector<ByteRange>{{0, 10}, {15, 16}, {40, 50}});
    CHECK(set.common({12, 18}) == std::vector<ByteRange>{{12, 15}, {16, 18}});
    CHECK(set.holds({15, 15}));
}

TEST_CASE("range sets: random operations against a set of flags") {
    std::mt19937 random(1);
    for (int run = 0; run < 200; ++run) {
        RangeSet set;
        std::vector<bool> model(64);
        for (int step = 0; step < 60; ++step) {
            const std::size_t a = random() % 65;
            const std::size_t b = random() % 65;
            const ByteRange range{std::min(a, b), std::max(a, b)};
            const bool adds = random() % 2 == 0;
            adds ? set.add(range) : set.remove(range);
            for (std::size_t i = range.begin; i < range.end; ++i) {
                model[i] = adds;
            }
            std::vector<bool> seen(64);
            std::size_t last = 0;
            bool first = true;
            for (const ByteRange& r : set.ranges()) {
                REQUIRE(r.begin < r.end);
                REQUIRE((first || r.begin > last)); // adjacent ranges are merged
                first = false;
                last = r.end;
                for (std::size_t i = r.begin; i < r.end; ++i) {
                    seen[i] = true;
                }
            }
            REQUIRE(seen == model);
            for (const ByteRange& r : set.missing({0, 64})) {
                for (std::size_t i = r.begin; i < r.end; ++i) {
                    REQUIRE(!model[i]);
                    seen[i] = true;
                }
            }
            REQUIRE(seen == std::vector<bool>(64, true));
        }
    }
}
