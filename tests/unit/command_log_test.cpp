// SPDX-License-Identifier: Apache-2.0
#include "command_log.hpp"

#include <doctest/doctest.h>

using ferry::Dim3;
using ferry::Grid;
using ferry::detail::CommandLog;

TEST_CASE("command log: a launch has its own grid and offset, whatever was launched before it") {
    CommandLog log;
    for (std::size_t i = 0; i < 100; ++i) {
        Grid grid{{1 + i, 2, 3}, {4, 5, 6}};
        if (i % 3 == 0) {
            grid.offset = {i, 1, std::size_t{1} << 40};
        }
        log.add_launch(nullptr, grid, {}, ferry::SourceLocation::current());
        CHECK(log.latest().grid == grid);
    }
}

TEST_CASE("command log: grids in words") {
    CHECK(ferry::detail::describe(Grid{4, 256}) == "4x1x1 groups of 256x1x1");
    CHECK(ferry::detail::describe(Grid{4, 256, {5, 0, 7}}) ==
          "4x1x1 groups of 256x1x1 at the offset (5, 0, 7)");
}
