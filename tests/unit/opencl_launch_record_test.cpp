// SPDX-License-Identifier: Apache-2.0
#include "opencl/opencl_event.hpp"
#include "opencl/opencl_kernel.hpp"

#include <doctest/doctest.h>

#include <memory>

using ferry::opencl::LaunchRecord;
using Size = LaunchRecord::Size;

TEST_CASE("opencl launch record: a launch with other code in PoCL than the one before runs alone") {
    constexpr Size group{64, 1, 1};
    constexpr Size small_group{8, 8, 1};
    LaunchRecord record;
    const auto alone = [&](const Size& local, const Size& global, bool moved = false) {
        const bool is_alone = record.has_to_run_alone(local, global, moved);
        if (is_alone) {
            record.launched_alone(local, global, moved);
        }
        return is_alone;
    };
    CHECK(alone(group, {640, 1, 1}));
    CHECK_FALSE(alone(group, {640, 1, 1}));
    CHECK_FALSE(alone(group, {64, 1, 1}));
    CHECK_FALSE(alone(group, {64, 640, 1}));
    CHECK_FALSE(alone(group, {64, 1, 5000})); // PoCL checks x and y only
    CHECK(alone(group, {704, 1, 1}));
    CHECK(alone(group, {64, 705, 1}));
    CHECK(alone(small_group, {8, 8, 1})); // groups of another size have separate code
    CHECK_FALSE(alone(group, {705, 1, 1}));
    CHECK(alone(group, {64, 1, 1}, true)); // with an offset: the first launch, and each change
    CHECK_FALSE(alone(group, {64, 1, 1}, true));
    CHECK(alone(group, {64, 1, 1}, false));
    CHECK_FALSE(alone(group, {705, 1, 1}, false));
    CHECK(alone(group, {128, 1, 1}, true));
    CHECK_FALSE(alone(group, {128, 1, 1}, true));
    CHECK_FALSE(alone(small_group, {8, 8, 1}, false));
    record.forget();
    CHECK(alone(small_group, {8, 8, 1}, false));
    CHECK(alone(group, {64, 1, 1}, true));
}

TEST_CASE("opencl launch record: it is done when all queues have completed their launches") {
    const ferry::opencl::Api api;
    LaunchRecord record;
    CHECK(record.is_done(api));
    const auto first = std::make_shared<ferry::opencl::Progress>();
    const auto second = std::make_shared<ferry::opencl::Progress>();
    record.used_by(1, first, 3);
    record.used_by(2, second, 8);
    CHECK_FALSE(record.is_done(api));
    first->reached(3);
    CHECK_FALSE(record.is_done(api));
    second->reached(7);
    CHECK_FALSE(record.is_done(api));
    second->reached(8);
    CHECK(record.is_done(api));
    record.used_by(2, second, 9);
    CHECK_FALSE(record.is_done(api));
}
