// SPDX-License-Identifier: Apache-2.0
#include "queue/command_log.hpp"

#include <doctest/doctest.h>

#include <string>

using ferry::Dim3;
using ferry::Grid;
using ferry::detail::CommandKind;
using ferry::detail::CommandLog;

TEST_CASE("command log: a launch has its own grid and offset, whatever was launched before it") {
    CommandLog log;
    for (std::size_t i = 0; i < 100; ++i) {
        Grid grid{{1 + i, 2, 3}, {4, 5, 6}};
        if (i % 3 == 0) {
            grid.offset = {i, 1, std::size_t{1} << 40};
        }
        const std::shared_ptr<ferry::detail::KernelState> kernel;
        log.add(ferry::detail::LaunchCommand{{ferry::SourceLocation::current()}, &kernel, grid, {}, {}});
        CHECK(log.latest().grid == grid);
    }
}

TEST_CASE("command log: grids in words") {
    CHECK(ferry::detail::describe(Grid{4, 256}) == "4x1x1 groups of 256x1x1");
    CHECK(ferry::detail::describe(Grid{4, 256, {5, 0, 7}}) ==
          "4x1x1 groups of 256x1x1 at the offset (5, 0, 7)");
}

TEST_CASE("command log: the error of a command that failed half-way says which part was done") {
    using ferry::Code;
    using ferry::Error;
    const Error failed{Code::out_of_memory, "clEnqueueFillBuffer returned -5"};
    const auto text = [&](CommandKind kind, std::size_t bytes, std::size_t taken, bool launched) {
        CommandLog log;
        log.add(kind, bytes, ferry::SourceLocation::current());
        const Error error = log.with_part(failed, taken, launched);
        CHECK(error.code() == Code::out_of_memory);
        return std::string(error.what());
    };
    CHECK(text(CommandKind::fill, 67'108'868, 67'108'864, false) ==
          "the first 67108864 of 67108868 bytes were filled; the part that failed: clEnqueueFillBuffer "
          "returned "
          "-5");
    CHECK(text(CommandKind::copy, 100, 40, false).starts_with("the first 40 of 100 bytes were copied; "));
    CHECK(text(CommandKind::batch, 100, 40, true).starts_with("40 of 100 bytes were copied; "));
    CHECK(text(CommandKind::replay, 0, 40, false).starts_with("a part of its commands was enqueued; "));
    CHECK(text(CommandKind::launch, 0, 0, true).starts_with("the kernel was launched; "));
    CHECK(text(CommandKind::fill, 100, 0, false) == failed.what());
    CHECK(text(CommandKind::launch, 0, 0, false) == failed.what());
}
