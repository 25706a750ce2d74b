// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <random>

namespace bench {

namespace {

class Entered {
public:
    explicit Entered(Subject& subject) : subject_(subject) { subject_.enter(); }
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() {
        try {
            subject_.leave();
        } catch (const std::exception&) {
            // Then the next call fails too, and its error is the one to show.
        }
    }

private:
    Subject& subject_;
};

struct Side {
    Subject& subject;
    std::vector<double> times;
    std::uint64_t steps = 0;

    double sample(const Case& test, int count, std::size_t bytes) {
        const Entered entered(subject);
        subject.finish_all();
        const auto start = std::chrono::steady_clock::now();
        subject.run(test.operation, count, bytes);
        if (test.finish_included) {
            subject.finish_all();
        }
        const auto end = std::chrono::steady_clock::now();
        subject.finish_all();
        steps += static_cast<std::uint64_t>(count);
        return std::chrono::duration<double, std::nano>(end - start).count() / count;
    }
};

double quantile(const std::vector<double>& sorted, double q) {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

Spread spread(std::vector<double> values) {
    std::ranges::sort(values);
    return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), quantile(values, 0.1)};
}

void set_ratio(Result& result, const std::vector<double>& raw, const std::vector<double>& ferry) {
    std::vector<double> ratios(raw.size());
    std::ranges::transform(ferry, raw, ratios.begin(), std::divides<>{});
    std::ranges::sort(ratios);
    // Order statistics: the median lies between these two in 95 of 100 cases, whatever the distribution.
    const auto n = static_cast<double>(ratios.size());
    const auto low = static_cast<std::size_t>(std::max(0.0, std::floor((n - 1.96 * std::sqrt(n)) / 2)));
    result.ratio = quantile(ratios, 0.5);
    result.ratio_low = ratios[low];
    result.ratio_high = ratios[ratios.size() - 1 - low];
}

} // namespace

Result measure(const Case& test, Subject& raw_subject, Subject& ferry_subject, std::size_t large_bytes,
               const Options& options) {
    Result result;
    result.test = &test;
    result.bytes = test.size == Size::none ? 0 : test.size == Size::small ? small_bytes : large_bytes;
    const bool large = test.size == Size::large;
    result.repetitions = options.repetitions ? options.repetitions : options.quick ? 3 : large ? 31 : 201;

    std::random_device entropy;
    std::mt19937_64 random((std::uint64_t{entropy()} << 32) | entropy());
    const std::uint64_t seed = random();
    const auto verification = [&](Subject& subject) {
        const Entered entered(subject);
        return Verification(test, subject, result.bytes, seed);
    };
    Verification raw_check = verification(raw_subject);
    Verification ferry_check = verification(ferry_subject);

    Side raw{raw_subject, {}};
    Side ferry{ferry_subject, {}};
    constexpr int batch =
        256; // less than what a driver's queue holds, so that the call does not wait for room
    if (test.batch) {
        result.steps = options.quick ? 16 : batch;
    } else {
        const double sample = options.quick ? 2e5 : 2e6;
        raw.sample(test, 2, result.bytes);
        result.steps = static_cast<int>(std::clamp(sample / raw.sample(test, 4, result.bytes), 1.0, 1000.0));
    }
    for (int i = 0; i < (options.quick || large ? 1 : 5); ++i) {
        raw.sample(test, result.steps, result.bytes);
        ferry.sample(test, result.steps, result.bytes);
    }
    for (int i = 0; i < result.repetitions; ++i) {
        const bool raw_first = (random() & 1) != 0;
        for (Side* side : {raw_first ? &raw : &ferry, raw_first ? &ferry : &raw}) {
            side->times.push_back(side->sample(test, result.steps, result.bytes));
        }
    }

    {
        const Entered entered(raw_subject);
        raw_check.check(raw.steps, "raw");
    }
    {
        const Entered entered(ferry_subject);
        ferry_check.check(ferry.steps, "Ferry");
    }
    result.raw = spread(raw.times);
    result.ferry = spread(ferry.times);
    set_ratio(result, raw.times, ferry.times);
    result.ratio_fast = result.ferry.fast / result.raw.fast;
    return result;
}

} // namespace bench
