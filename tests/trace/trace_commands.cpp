// SPDX-License-Identifier: Apache-2.0
#include "trace_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

namespace trace_test {

const std::vector<Slice>& commands(const TraceFile& trace, const TraceFile::Row& row) {
    const std::vector<Slice>& slices = trace.slices.at(row);
    constexpr double rounding = 0.002;
    double last = 0;
    // The numbers of a queue continue after those of an earlier queue (docs/design/pools.md).
    std::uint64_t number = slices.at(0).arguments.at("command").get<std::uint64_t>() - 1;
    for (const Slice& slice : slices) {
        CAPTURE(slice.name);
        CAPTURE(slice.arguments.dump());
        CHECK(slice.end >= slice.start);
        CHECK(slice.start >= last - rounding);
        last = slice.end;
        CHECK(slice.arguments.at("command") == ++number);
        const std::string id = trace.rows.at(row).substr(6) + "." + std::to_string(number);
        REQUIRE(trace.begins.at(id).size() == 1);
        REQUIRE(trace.ends.at(id).size() == 1);
        const Arrow& from = trace.begins.at(id)[0];
        const Arrow& to = trace.ends.at(id)[0];
        CHECK(TraceFile::Row{to.process, to.row} == row);
        CHECK(from.time <= to.time + rounding);
        CHECK(std::abs(to.time - slice.start) < rounding);
        CHECK(from.row == slice.arguments.at("by thread"));
        const std::vector<Slice>& calls = trace.slices.at({from.process, from.row});
        CHECK(std::ranges::any_of(calls, [&](const Slice& call) {
            return call.start <= from.time + rounding && from.time <= call.end + rounding;
        }));
    }
    return slices;
}

} // namespace trace_test
