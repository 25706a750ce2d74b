// SPDX-License-Identifier: Apache-2.0
#include "device/timeline.hpp"

#include <doctest/doctest.h>

using ferry::detail::Mark;
using ferry::detail::Marks;
using ferry::detail::Timeline;

TEST_CASE("timeline: abandoned commands are not waited for, and a later proof takes them back") {
    Timeline& timeline = Timeline::acquire();
    const std::uint64_t last = timeline.base() + 5;
    CHECK_FALSE(timeline.has_abandoned());
    timeline.abandon(last);
    CHECK(timeline.has_abandoned());
    CHECK(timeline.is_abandoned(last));
    CHECK_FALSE(timeline.is_abandoned(last + 1));
    CHECK_FALSE(timeline.wait(last));
    const Marks marks{Mark{&timeline, last - 1}};
    CHECK(has_abandoned(marks));
    CHECK_FALSE(wait_for(marks));
    timeline.reach(last);
    CHECK_FALSE(timeline.has_abandoned());
    CHECK(timeline.wait(last));
    CHECK(wait_for(marks));
    CHECK_FALSE(has_abandoned(marks));
    timeline.release(last);
}

TEST_CASE("timeline: no queue gets one whose commands nothing proves to be done") {
    Timeline& timeline = Timeline::acquire();
    const std::uint64_t last = timeline.base() + 1;
    timeline.retire(last);
    Timeline& other = Timeline::acquire();
    CHECK(&other != &timeline);
    CHECK(timeline.is_abandoned(last));
    other.release(other.base());
}
