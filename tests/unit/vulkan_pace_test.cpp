// SPDX-License-Identifier: Apache-2.0
// The division of work into submits, with given times instead of a device's.
#include "vulkan/vulkan_long_kernels.hpp"
#include "vulkan/vulkan_pace.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace vulkan_pace_test {

using ferry::vulkan::Pace;
using ferry::vulkan::SubmitWork;

constexpr std::uint64_t ms = 1'000'000;

/// A queue on a device where a command takes a given time. Returns the times of its submits.
class Device {
public:
    void run(const std::shared_ptr<Pace>& pace, std::uint64_t size, std::uint64_t time) {
        if (commands_ == 64 || work_.is_full_for(*pace, size)) {
            submit();
        }
        work_.add(pace, size);
        time_ += time;
        ++commands_;
    }
    void submit() {
        if (commands_ != 0) {
            submits.push_back(time_);
            if (auto slow = work_.learn(time_)) {
                warnings.push_back(slow->name());
            }
        }
        commands_ = 0;
        time_ = 0;
    }

    std::vector<std::uint64_t> submits;
    std::vector<std::string> warnings;

private:
    SubmitWork work_;
    std::uint64_t time_ = 0;
    unsigned commands_ = 0;
};

TEST_CASE("vulkan pace: short commands share a submit, after the first one of a kernel") {
    Device device;
    const auto kernel = std::make_shared<Pace>("short");
    CHECK(!kernel->is_known());
    for (int i = 0; i < 129; ++i) {
        device.run(kernel, 1000, ms / 100);
    }
    device.submit();
    CHECK(device.submits == std::vector<std::uint64_t>{ms / 100, 64 * ms / 100, 64 * ms / 100});
    CHECK(device.warnings.empty());
}

TEST_CASE("vulkan pace: no submit of several commands exceeds the target once their times are known") {
    std::mt19937_64 random(5); // NOLINT(*-msc51-cpp)
    for (int round = 0; round < 20; ++round) {
        Device device;
        std::vector<std::shared_ptr<Pace>> kernels;
        std::vector<std::uint64_t> times;
        for (int i = 0; i < 5; ++i) {
            kernels.push_back(std::make_shared<Pace>("k"));
            times.push_back(random() % (90 * ms) + 1);
            device.run(kernels.back(), 4096, times.back()); // Alone, because it is not known.
        }
        device.submit();
        CHECK(device.submits == times);
        device.submits.clear();
        for (int i = 0; i < 500; ++i) {
            const std::size_t which = random() % kernels.size();
            device.run(kernels[which], 4096, times[which]);
        }
        device.submit();
        for (const std::uint64_t time : device.submits) {
            CHECK(time <= SubmitWork::target + 1000); // Rounding.
        }
    }
}

TEST_CASE("vulkan pace: a kernel that is not known, or is longer than the target, is alone in its submit") {
    Device device;
    const auto known = std::make_shared<Pace>("known");
    known->learn(64, ms);
    const auto slow = std::make_shared<Pace>("slow");
    const auto other = std::make_shared<Pace>("other");
    device.run(known, 64, ms);
    device.run(slow, 64, 300 * ms);
    device.run(other, 64, 2 * ms);
    device.run(known, 64, ms);
    device.run(slow, 64, 300 * ms);
    device.run(slow, 64, 300 * ms);
    device.run(known, 64, ms);
    device.submit();
    CHECK(device.submits == std::vector<std::uint64_t>{ms, 300 * ms, 2 * ms, ms, 300 * ms, 300 * ms, ms});
    CHECK(device.warnings.empty());
}

TEST_CASE("vulkan pace: a kernel gets slower, and faster again") {
    Device device;
    const auto kernel = std::make_shared<Pace>("changing");
    kernel->learn(1 << 20, ms / 1000);
    for (int i = 0; i < 640; ++i) {
        device.run(kernel, 1 << 20, 30 * ms);
    }
    device.submit();
    CHECK(device.submits.front() == 64 * 30 * ms); // Nobody could know.
    CHECK(std::all_of(device.submits.begin() + 1, device.submits.end(),
                      [](std::uint64_t time) { return time <= SubmitWork::target; }));
    device.submits.clear();
    for (int i = 0; i < 6400; ++i) {
        device.run(kernel, 1 << 20, ms / 1000);
    }
    device.submit();
    CHECK(device.submits[device.submits.size() - 2] == 64 * ms / 1000); // Together again, step by step.
    CHECK(device.submits.size() < 140);
}

TEST_CASE("vulkan pace: the forecast of a size follows from the nearest measured ones") {
    Pace pace("sizes");
    pace.learn(1 << 10, ms);
    CHECK(pace.forecast(1 << 10) == ms);
    CHECK(pace.forecast(1500) == ms); // The same power of two.
    CHECK(pace.forecast(1 << 14) == 16 * ms);
    CHECK(pace.forecast(1) == ms); // A small launch may take as long.
    pace.learn(1 << 14, 2 * ms);
    CHECK(pace.forecast(1 << 13) == 8 * ms); // By the nearest smaller size.
    CHECK(pace.forecast(1 << 15) == 4 * ms);
    pace.learn(1, 1);
    CHECK(pace.forecast(1) == 1);
    CHECK(pace.forecast(512) == 512);
    CHECK(pace.forecast(~std::uint64_t{0}) > SubmitWork::target); // And no overflow.
    SubmitWork work;
    const auto huge = std::make_shared<Pace>("huge");
    huge->learn(1, ~std::uint64_t{0});
    for (int i = 0; i < 200; ++i) {
        work.add(huge, ~std::uint64_t{0});
    }
    CHECK(work.is_full_for(*huge, 1));
}

TEST_CASE("vulkan pace: a measured time at most halves a forecast, and raises it at once") {
    Pace pace("steps");
    pace.learn(100, 80 * ms);
    pace.learn(100, ms);
    CHECK(pace.forecast(100) == 40 * ms);
    pace.learn(100, 90 * ms);
    CHECK(pace.forecast(100) == 90 * ms);
}

TEST_CASE("vulkan pace: a single kernel of more than a second gets one warning") {
    Device device;
    const auto kernel = std::make_shared<Pace>("endless");
    const auto quick = std::make_shared<Pace>("quick");
    for (int i = 0; i < 3; ++i) {
        device.run(kernel, 64, 1500 * ms);
        device.run(quick, 64, 5 * ms);
    }
    device.submit();
    CHECK(device.warnings == std::vector<std::string>{"endless"});
    ferry::vulkan::LongKernels kernels;
    CHECK(kernels.text().empty());
    kernels.add("endless", 1500 * ms);
    CHECK(kernels.text().starts_with("Kernel 'endless' ran for 1500 ms"));
    const auto fresh = std::make_shared<Pace>("fresh");
    SubmitWork work;
    work.add(fresh, 64);
    REQUIRE(work.unknown() == fresh);
    kernels.begin_first_run(work.unknown());
    kernels.begin_first_run(fresh); // By another queue.
    CHECK(kernels.text().starts_with("The first run of 'fresh' may not have ended, and drivers of GPUs"));
    kernels.end_first_run(*fresh);
    kernels.end_first_run(*fresh);
    CHECK(kernels.text().starts_with("Kernel 'endless' ran"));
    work.learn(ms);
    work.add(fresh, 64);
    CHECK(work.unknown() == nullptr);
    // Of several, none can be blamed.
    Device mixed;
    const auto first = std::make_shared<Pace>("first");
    first->learn(64, ms);
    mixed.run(first, 64, 700 * ms);
    mixed.run(first, 64, 700 * ms);
    mixed.submit();
    CHECK(mixed.warnings.empty());
}

} // namespace vulkan_pace_test
