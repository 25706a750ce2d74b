// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace bench {

/// The effect of a step, which determines how it is checked.
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
    touched,
    held
};

/// The part of the time that a figure measures.
enum class Timing : std::uint8_t {
    enqueue,   ///< Many calls in a row, without the wait for them.
    pipelined, ///< Many calls in a row, with one wait for all of them.
    each,      ///< Each call with its own wait.
    device,    ///< Time of the device's clock; the queue is held until all steps are enqueued.
};

/// The hardware limit of a figure.
enum class Bound : std::uint8_t { none, link, memory };

/// One measurement. The table is in measurements.cpp.
struct Measurement {
    std::string_view name;
    std::string_view what;
    Operation operation;
    Timing timing;
    Check check;
    std::span<const std::size_t> sizes; ///< Bytes of a step. Empty: it has no size.
    Bound bound = Bound::none;
    /// Bytes that use the limiting resource, as a multiple of the size.
    double traffic = 1;
    std::string_view plot = {};                          ///< Name of the plot that contains it. Empty: none.
    ferry::MemoryKind needs = ferry::MemoryKind::device; ///< Skipped if the device lacks this kind of memory.
    /// Performed before each step, outside of the measured time.
    std::optional<Operation> before = std::nullopt;
};

/// All measurements of `ferry bench`.
std::span<const Measurement> measurements();

} // namespace bench
