// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include "system/thread.hpp"
#include "verification.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <exception>
#include <random>

namespace bench {

namespace {

/// The processor time used so far.
ProcessorTime processor_time() {
    constexpr double tick_ns = 1e9 / CLOCKS_PER_SEC;
    const std::optional<int> clock = ferry::detail::thread_clock();
    const auto thread = clock ? ferry::detail::time_of_thread(*clock) : std::chrono::nanoseconds(0);
    return {static_cast<double>(thread.count()), static_cast<double>(std::clock()) * tick_ns};
}

class Side {
public:
    Side(Subject& subject, const Measurement& what, std::size_t bytes, std::uint64_t seed)
        : subject_(subject), what_(what), bytes_(bytes), verification_([&] {
              const Entered entered(subject);
              return Verification(what, subject, bytes, seed);
          }()) {}

    /// Returns nanoseconds for one step.
    double sample(int count) {
        const Entered entered(subject_);
        subject_.finish_all();
        if (what_.before) {
            return prepared_sample(count);
        }
        if (device_clock_) {
            if (const auto time = held_sample(count)) {
                return *time / count;
            }
            device_clock_ = false;
        }
        const ProcessorTime before = processor_time();
        const auto start = std::chrono::steady_clock::now();
        subject_.run(what_.operation, count, bytes_, what_.timing == Timing::each);
        if (what_.timing != Timing::enqueue) {
            subject_.finish_all();
        }
        const auto end = std::chrono::steady_clock::now();
        const ProcessorTime after = processor_time();
        last_processor_ = {(after.thread - before.thread) / count, (after.process - before.process) / count};
        subject_.finish_all();
        steps_ += static_cast<std::uint64_t>(count);
        return std::chrono::duration<double, std::nano>(end - start).count() / count;
    }
    void check(std::string_view name) {
        const Entered entered(subject_);
        verification_.check(steps_, name);
    }
    bool device_clock() const { return device_clock_; }
    void use_device_clock(bool use) { device_clock_ = use; }

    void keep_sample(int count) {
        times.push_back(sample(count));
        processor_.thread += last_processor_.thread;
        processor_.process += last_processor_.process;
    }
    ProcessorTime processor() const {
        const auto samples = static_cast<double>(times.size());
        return {processor_.thread / samples, processor_.process / samples};
    }

    std::vector<double> times;

private:
    double prepared_sample(int count) {
        std::chrono::steady_clock::duration total{};
        for (int i = 0; i < count; ++i) {
            subject_.run(*what_.before, 1, bytes_, true);
            const auto start = std::chrono::steady_clock::now();
            subject_.run(what_.operation, 1, bytes_, true);
            total += std::chrono::steady_clock::now() - start;
        }
        steps_ += static_cast<std::uint64_t>(count);
        return std::chrono::duration<double, std::nano>(total).count() / count;
    }

    std::optional<double> held_sample(int count) {
        constexpr int attempts = 16; // The time that the queue is held doubles with each attempt.
        for (int i = 0; i < attempts; ++i) {
            const auto time = subject_.run_held(what_.operation, count, bytes_);
            steps_ += static_cast<std::uint64_t>(count);
            if (time && *time > 0) {
                return time;
            }
        }
        return std::nullopt;
    }

    Subject& subject_;
    const Measurement& what_;
    std::size_t bytes_;
    Verification verification_;
    bool device_clock_ = false;
    std::uint64_t steps_ = 0;
    ProcessorTime last_processor_; ///< Of a step of the last sample.
    ProcessorTime processor_;      ///< The sum over the samples that were kept.
};

int steps_in_sample(const Measurement& what, Side& side, const Effort& effort) {
    if (what.timing == Timing::enqueue || (what.timing == Timing::pipelined && what.sizes.empty())) {
        return effort.batch;
    }
    side.sample(2);
    const int most = what.timing == Timing::each ? 1000 : effort.batch;
    return static_cast<int>(std::clamp(effort.sample_ns / side.sample(2), 1.0, double(most)));
}

bool varies(const std::vector<Side*>& sides) {
    return std::ranges::any_of(
        sides, [](const Side* side) { return spread(side->times).relative() > too_much_variation; });
}

/// Collects samples of all sides. Returns the number of samples of each side.
int collect(std::vector<Side*> sides, int steps, const Effort& effort, std::mt19937_64& random) {
    for (int i = 0; i < effort.warm_up; ++i) {
        for (Side* side : sides) {
            side->sample(steps);
        }
    }
    int pairs = 0;
    while (pairs < effort.pairs || (pairs < effort.most_pairs && varies(sides))) {
        for (int i = 0; i < effort.pairs; ++i, ++pairs) {
            if ((random() & 1) != 0) {
                std::ranges::reverse(sides);
            }
            for (Side* side : sides) {
                side->keep_sample(steps);
            }
        }
    }
    return pairs;
}

} // namespace

Entered::~Entered() {
    try {
        subject_.leave();
    } catch (const std::exception&) {
        // The next call will fail as well and report its error.
    }
}

Figure measure(const Measurement& what, Subject* raw_subject, Subject& ferry_subject, std::size_t bytes,
               const Effort& effort) {
    std::random_device entropy;
    std::mt19937_64 random((std::uint64_t{entropy()} << 32) | entropy());
    const std::uint64_t seed = random();

    Figure figure;
    std::optional<Side> raw;
    if (raw_subject != nullptr) {
        figure.why_not_compared = raw_subject->why_not(what.operation);
    }
    if (raw_subject != nullptr && figure.why_not_compared.empty()) {
        raw.emplace(*raw_subject, what, bytes, seed);
    }
    Side ferry(ferry_subject, what, bytes, seed);
    std::vector<Side*> sides{&ferry};
    if (raw) {
        sides.push_back(&*raw);
    }
    bool device_clock = what.timing == Timing::device;
    for (Side* side : sides) { // Both sides must use the same clock.
        side->use_device_clock(device_clock);
        side->sample(1);
        device_clock = side->device_clock();
    }
    for (Side* side : sides) {
        side->use_device_clock(device_clock);
    }

    figure.bytes = bytes;
    figure.compared = raw.has_value();
    figure.steps = steps_in_sample(what, *sides.back(), effort);
    figure.pairs = collect(sides, figure.steps, effort, random);
    if (device_clock && !std::ranges::all_of(sides, &Side::device_clock)) {
        // A queue could not be held long enough, so both sides are measured again with the wall clock.
        device_clock = false;
        for (Side* side : sides) {
            side->use_device_clock(false);
            side->times.clear();
        }
        figure.pairs = collect(sides, figure.steps, effort, random);
    }
    figure.varied = varies(sides);
    figure.device_clock = device_clock;
    figure.ferry = spread(ferry.times);
    figure.ferry_processor = ferry.processor();
    if (raw) {
        raw->check("raw");
        figure.raw = spread(raw->times);
        figure.raw_processor = raw->processor();
        figure.ratio = ratio(ferry.times, raw->times);
        figure.ratio_fast = figure.ferry.fast / figure.raw.fast;
    }
    ferry.check("Ferry");
    return figure;
}

} // namespace bench
