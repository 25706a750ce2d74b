// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"
#include "statistics.hpp"

namespace bench {

/// The number and length of samples.
struct Effort {
    int pairs = 15;         ///< Samples of each side.
    int most_pairs = 60;    ///< The limit if the samples vary too much.
    double sample_ns = 2e6; ///< Length of a sample, if a single step is shorter.
    int batch = 256;        ///< Steps of Timing::enqueue and ::pipelined. Must fit in a driver's queue.
    int warm_up = 3;        ///< Samples that are ignored.
};

/// Largest accepted distance between the quartiles, relative to the median.
constexpr double too_much_variation = 0.1;

/// Nanoseconds of processor time.
struct ProcessorTime {
    double thread = 0;  ///< Of the measuring thread.
    double process = 0; ///< Of all threads.
};

/// Result of one measurement. Times are in nanoseconds for one step.
struct Figure {
    std::size_t bytes = 0; ///< Of one step. 0: the step moves no bytes.
    int pairs = 0;
    int steps = 0;         ///< In one sample.
    bool compared = false; ///< Whether `raw` and `ratio` are valid.
    std::string_view why_not_compared = {};
    bool device_clock = false;
    bool varied = false; ///< The samples varied too much, even after more of them.
    Spread raw;
    Spread ferry;
    ProcessorTime raw_processor; ///< Mean of one step. 0 with the device's clock.
    ProcessorTime ferry_processor;
    Ratio ratio;           ///< Ferry's time divided by the raw time.
    double ratio_fast = 0; ///< The same for the tenth percentiles.
};

/// Enters a side, and leaves it in the destructor.
class Entered {
public:
    explicit Entered(Subject& subject) : subject_(subject) { subject_.enter(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered();

private:
    Subject& subject_;
};

/// Takes samples of both sides in turn, in random order within each pair, so that drift of the machine
/// affects both equally. `raw` may be null or lack the operation. Afterwards checks the contents of memory.
/// Throws std::runtime_error if they are wrong.
Figure measure(const Measurement& what, Subject* raw, Subject& ferry, std::size_t bytes,
               const Effort& effort);

} // namespace bench
