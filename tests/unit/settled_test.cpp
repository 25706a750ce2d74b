// SPDX-License-Identifier: Apache-2.0
#include "staging/settled_rate.hpp"

#include <doctest/doctest.h>

using ferry::detail::staging::settled;

TEST_CASE("settled: the median of the faster half") {
    CHECK(settled({10, 11, 12}) == 11);
    CHECK(settled({12, 10, 11}) == 11);
    CHECK(settled({1, 2, 10, 11, 12}) == 11);
    CHECK(settled({1, 2, 3, 10, 11, 12}) == 11);
    // from a machine with an H200, 4 threads
    CHECK(settled({35.3, 35.1, 43.2, 53.3, 40.9, 47.9, 43.5}) == 43.5);
    CHECK(settled({7, 7, 7}) == 7);
}

TEST_CASE("settled: nothing of too few rates, of disturbed ones, or of a faster half that does not agree") {
    CHECK_FALSE(settled({}));
    CHECK_FALSE(settled({10, 10}));
    CHECK_FALSE(settled({10, 10, 0, 0}));
    CHECK_FALSE(settled({10, -1, 10}));
    CHECK_FALSE(settled({10, 11, 14}));
    CHECK(settled({5, 12, 14}) == 12);
    CHECK_FALSE(settled({1, 2, 10, 11, 13.8}));
    CHECK(settled({1, 2, 10, 11, 12.7}) == 11);
}
