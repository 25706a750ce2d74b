// SPDX-License-Identifier: Apache-2.0
#include "base/copy_threads.hpp"
#include "cache/disk_cache.hpp"
#include "staging/copy_thread_count.hpp"
#include "staging/policy.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace copy_threads_test {

using namespace ferry::detail;
using namespace ferry::detail::staging;

namespace {

constexpr unsigned usual_threads = 8; // the default without measurements, if the bound allows it

// A bound without a cache entry of an earlier run.
unsigned fresh_most() {
    return std::random_device{}() % 1'000'000'000 + 1000;
}

/// Rates by number of threads. The last rate is repeated.
std::vector<CopyRate> rates_of(unsigned most, const std::vector<double>& gigabytes) {
    std::vector<CopyRate> rates;
    for (const unsigned threads : thread_counts(most)) {
        const std::size_t at = std::min(rates.size(), gigabytes.size() - 1);
        rates.push_back({threads, gigabytes[at] * 1e9});
    }
    return rates;
}

struct Measured {
    int times = 0;
    std::vector<double> gigabytes{10, 19, 20};
    bool settles = true;

    MeasureCopyRates measure() {
        return [this](unsigned most, std::chrono::milliseconds) {
            ++times;
            return settles ? std::optional(rates_of(most, gigabytes)) : std::nullopt;
        };
    }
};

struct AsNew {
    Tuning before = tuning();
    explicit AsNew(unsigned most) {
        tuning().most_threads = most;
        tuning().threads = 0;
        forget_copy_rates();
    }
    AsNew(const AsNew&) = delete;
    AsNew& operator=(const AsNew&) = delete;
    ~AsNew() {
        tuning().threads = before.threads; // leaves the fields that idle copy threads still read
        tuning().most_threads = before.most_threads;
        forget_copy_rates();
        Workers::look_again();
    }
};

class TuningScope {
public:
    explicit TuningScope(const char* value) { ::setenv("FERRY_CALIBRATION", value, 1); }
    TuningScope(const TuningScope&) = delete;
    TuningScope& operator=(const TuningScope&) = delete;
    ~TuningScope() { ::unsetenv("FERRY_CALIBRATION"); }
};

} // namespace

TEST_CASE("copy threads: the counts that are measured, with the last one whatever it is") {
    CHECK(thread_counts(0).empty());
    CHECK(thread_counts(1) == std::vector<unsigned>{1});
    CHECK(thread_counts(2) == std::vector<unsigned>{1, 2});
    CHECK(thread_counts(3) == std::vector<unsigned>{1, 2, 3});
    CHECK(thread_counts(7) == std::vector<unsigned>{1, 2, 4, 7});
    CHECK(thread_counts(8) == std::vector<unsigned>{1, 2, 4, 8});
}

TEST_CASE("copy threads: the fewest that reach 95 % of the best are taken") {
    struct Row {
        std::vector<double> gigabytes;
        unsigned expected;
    };
    const std::vector<Row> table{
        {{11, 21, 41, 52}, 8},         // a server
        {{14, 18.8, 19.9, 20}, 4},     // two memory channels
        {{20, 20, 20, 20}, 1},         //
        {{19, 20, 18, 10}, 1},         // more threads may be slower
        {{18.9, 20, 20, 20}, 2},       // 94.5 %
        {{5, 30, 5, 5}, 2},            //
        {{1e-9, 2e-9, 1e-9, 1e-9}, 2}, //
    };
    for (const Row& row : table) {
        CHECK(fewest_threads(rates_of(8, row.gigabytes)) == row.expected);
    }
    CHECK(fewest_threads({}) == 0);
}

TEST_CASE("copy threads: rates survive being written and read; text that is not quite theirs is refused") {
    const std::vector<CopyRate> rates = rates_of(7, {10.0 / 3, 1e-300, 1e290, 7});
    const std::string text = to_text(rates);
    const auto read = copy_rates_from(text, 7);
    REQUIRE(read);
    CHECK(to_text(*read) == text);
    CHECK((*read)[0].bytes_per_second == rates[0].bytes_per_second);
    CHECK((*read)[3].threads == 7);
    for (std::size_t length = 0; length < text.size(); ++length) {
        CHECK_FALSE(copy_rates_from(text.substr(0, length), 7));
    }
    for (const unsigned other : {1U, 3U, 4U, 8U, 16U}) {
        CHECK_FALSE(copy_rates_from(text, other));
    }
    for (const char* bad : {"1 0p+0\n", "1 nan\n", "1 inf\n", "1 -1p+3\n", "1  1p+3\n", "1 1p+3 \n",
                            "2 1p+3\n", "1 1p+3\n1 1p+3\n"}) {
        CHECK_FALSE(copy_rates_from(bad, 1));
    }
    CHECK(copy_rates_from("1 1p+3\n", 1));
}

TEST_CASE("copy threads: measured on this machine, each count has its rate") {
    // On a busy machine, the rates may not settle.
    if (const auto rates = measure_copy_rates(2, std::chrono::seconds(1))) {
        REQUIRE(rates->size() == 2);
        for (std::size_t i = 0; i < 2; ++i) {
            CHECK((*rates)[i].threads == i + 1);
            CHECK((*rates)[i].bytes_per_second > 0);
        }
    }
    CHECK_FALSE(measure_copy_rates(2, std::chrono::milliseconds(0))); // no time for a round
    CHECK_FALSE(measure_copy_rates(0, std::chrono::seconds(1)));
}

TEST_CASE("copy threads: a count that does not settle is accepted if it cannot be the best") {
    using Rounds = std::vector<std::vector<double>>;
    const std::vector<unsigned> counts{1, 2, 4};
    const auto rates_of = [&](const Rounds& rounds) {
        std::vector<double> rates;
        for (const CopyRate& rate : robust_copy_rates(counts, rounds).value_or(std::vector<CopyRate>())) {
            CHECK(rate.threads == counts[rates.size()]);
            rates.push_back(rate.bytes_per_second);
        }
        return rates;
    };
    const std::vector<double> one{10, 9, 10, 10};
    const std::vector<double> four{40, 39, 40, 41};
    CHECK(rates_of({one, {20, 21, 20, 19}, four}) == std::vector<double>{10, 20, 40});
    CHECK(rates_of({one, {18, 16, 24, 17}, four}) == std::vector<double>{10, 24, 40});
    CHECK(rates_of({one, {18, 16, 39, 17}, four}).empty());             // the second rate may be equally fast
    CHECK(rates_of({one, {20, 21, 20, 19}, {40, 20, 60, 30}}).empty()); // the best one is uncertain
    CHECK(rates_of({one, {20, 21, 20, 19}, {12, 6, 18, 9}}) == std::vector<double>{10, 20, 18});
    CHECK(rates_of({one, {20, 0, 21, 0}, four}).empty()); // too few undisturbed rounds
    CHECK(rates_of({{}, {}, {}}).empty());
}

TEST_CASE("copy threads: measured once, kept, and used by the next process") {
    const unsigned most = fresh_most();
    const AsNew machine(most);
    Measured one;
    CHECK(thread_limit().threads == usual_threads);
    CHECK(thread_limit().source.starts_with("default: "));
    Workers::look_again();
    CHECK(Workers::get().most() == usual_threads);
    learn_copy_rates(most, false, one.measure());
    learn_copy_rates(most, false, one.measure());
    CHECK(one.times == 1);
    CHECK(thread_limit().threads == 2);
    CHECK(thread_limit().source.starts_with(
        "measured: 1 thread copies 10.0 GB/s, 2 copy 19.0 GB/s, 4 copy 20"));
    CHECK(Workers::get().most() == 2);

    forget_copy_rates();
    CHECK(thread_limit().threads == 2);
    learn_copy_rates(most, false, one.measure());
    CHECK(one.times == 1);
    one.gigabytes = {10};
    learn_copy_rates(most, true, one.measure()); // requested explicitly
    CHECK(one.times == 2);
    CHECK(thread_limit().threads == 1);

    tuning().threads = 5; // set explicitly
    CHECK(thread_limit().threads == 5);
    CHECK(thread_limit().source == "set by the program");
}

// Each thread may be bound to different processors.
TEST_CASE("copy threads: threads with different processors have rates of their own, looked up once") {
    const unsigned few = fresh_most();
    const unsigned many = few + 1;
    const AsNew machine(few);
    const TuningScope nothing_from_disk("fresh");
    Measured one;
    const auto while_another_looks = [&](unsigned most, std::chrono::milliseconds time) {
        CHECK(known_copy_rates(many).empty());
        return one.measure()(most, time);
    };
    learn_copy_rates(few, false, while_another_looks);
    CHECK(known_copy_rates(many).empty());
    CHECK(fewest_threads(known_copy_rates(few)) == 2);
    one.gigabytes = {10};
    learn_copy_rates(many, false, one.measure());
    CHECK(fewest_threads(known_copy_rates(many)) == 1);
    CHECK(fewest_threads(known_copy_rates(few)) == 2);
    learn_copy_rates(few, false, one.measure());
    CHECK(one.times == 2);
}

TEST_CASE("copy threads: a damaged entry is measured again") {
    const unsigned most = fresh_most();
    const AsNew machine(most);
    ferry::cache::shared().store(key_of_copy_rates(most), to_text(rates_of(most, {10, 20})) + "more");
    CHECK(thread_limit().threads == usual_threads);
    Measured one;
    learn_copy_rates(most, false, one.measure());
    CHECK(one.times == 1);
    forget_copy_rates();
    CHECK(thread_limit().threads == 2);
}

TEST_CASE("copy threads: FERRY_CALIBRATION decides whether stored rates are used") {
    const unsigned most = fresh_most();
    const AsNew machine(most);
    Measured one;
    learn_copy_rates(most, false, one.measure());
    for (const char* setting : {"off", "fresh", "nonsense"}) {
        const TuningScope word(setting);
        forget_copy_rates();
        CHECK(thread_limit().threads == usual_threads);
    }
    {
        const TuningScope word("fresh");
        forget_copy_rates();
        learn_copy_rates(most, false, one.measure());
        learn_copy_rates(most, false, one.measure());
        CHECK(one.times == 2);
        CHECK(thread_limit().threads == 2);
    }
}

TEST_CASE("copy threads: a machine without settled rates is not measured for ever") {
    const unsigned most = fresh_most();
    const AsNew machine(most);
    Measured one;
    one.settles = false;
    for (int process = 0; process < 5; ++process) {
        forget_copy_rates();
        learn_copy_rates(most, false, one.measure());
        learn_copy_rates(most, false, one.measure());
        CHECK(thread_limit().threads == usual_threads);
    }
    CHECK(one.times == 3);
    one.settles = true;
    learn_copy_rates(most, true, one.measure());
    CHECK(thread_limit().threads == 2);
}

TEST_CASE("copy threads: one processor leaves nothing to measure") {
    const AsNew machine(1);
    Measured one;
    learn_copy_rates(1, true, one.measure());
    CHECK(one.times == 0);
    CHECK(thread_limit().threads == 1);
}

} // namespace copy_threads_test
