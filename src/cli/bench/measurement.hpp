// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace bench {

/// What a step leaves behind, and so how it is checked.
enum class Check : std::uint8_t {
    nothing,
    sum,
    order,
    uploaded,
    downloaded,
    both,
    between,
    filled,
    stream,
    touched
};

/// What part of the time a figure is.
enum class Timing : std::uint8_t {
    enqueue,   ///< many in a row, the calls alone; the wait follows outside the clock
    pipelined, ///< many in a row, with the wait for all of them
    each,      ///< call and wait, each
    device,    ///< by the device's clock, the queue held back until all are enqueued
};

/// What a figure could reach at best.
enum class Bound : std::uint8_t { none, link, memory };

/// One thing to measure, and how. The table is in measurements.cpp.
struct Measurement {
    std::string_view name;
    std::string_view what;
    Operation operation;
    Timing timing;
    Check check;
    std::span<const std::size_t> sizes; ///< bytes of a step; empty: it has none
    Bound bound = Bound::none;
    double traffic = 1;                                  ///< bytes that cross the bound, in sizes
    std::string_view plot = {};                          ///< name of the plot it is drawn in; empty: none
    ferry::MemoryKind needs = ferry::MemoryKind::device; ///< left out where the device has none
    std::optional<Operation> before = std::nullopt;      ///< done before each step, outside the clock
};

/// All that `ferry bench` measures.
std::span<const Measurement> measurements();

} // namespace bench
