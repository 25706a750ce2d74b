// SPDX-License-Identifier: Apache-2.0
#include "staging/robust_median.hpp"

#include <doctest/doctest.h>

using ferry::detail::staging::robust_median;

TEST_CASE("robust median: the median of the faster half") {
    CHECK(robust_median({10, 11, 12}) == 11);
    CHECK(robust_median({12, 10, 11}) == 11);
    CHECK(robust_median({1, 2, 10, 11, 12}) == 11);
    CHECK(robust_median({1, 2, 3, 10, 11, 12}) == 11);
    // from a machine with an H200, 4 threads
    CHECK(robust_median({35.3, 35.1, 43.2, 53.3, 40.9, 47.9, 43.5}) == 43.5);
    CHECK(robust_median({7, 7, 7}) == 7);
}

TEST_CASE(
    "robust median: nothing of too few rates, of disturbed ones, or of a faster half that does not agree") {
    CHECK_FALSE(robust_median({}));
    CHECK_FALSE(robust_median({10, 10}));
    CHECK_FALSE(robust_median({10, 10, 0, 0}));
    CHECK_FALSE(robust_median({10, -1, 10}));
    CHECK_FALSE(robust_median({10, 11, 14}));
    CHECK(robust_median({5, 12, 14}) == 12);
    CHECK_FALSE(robust_median({1, 2, 10, 11, 13.8}));
    CHECK(robust_median({1, 2, 10, 11, 12.7}) == 11);
}
