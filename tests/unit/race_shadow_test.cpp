// SPDX-License-Identifier: Apache-2.0
#include "check/shadow.hpp"

#include <doctest/doctest.h>

#include <memory>

namespace race_shadow_test {

using namespace ferry::detail::race;

namespace {

Stamp stamp(Actor actor, std::uint64_t count) {
    return {count, std::make_shared<const Operation>(Operation{"thing", actor, "someone", {}})};
}

Clock knowing(Actor actor, std::uint64_t count) {
    Clock clock;
    for (std::uint64_t i = 0; i < count; ++i) {
        clock.advance(actor);
    }
    return clock;
}

} // namespace

TEST_CASE("race: a joined clock knows the operations of both") {
    Clock a = knowing(1, 3);
    a.join(knowing(2, 5));
    a.join(knowing(1, 2));
    CHECK(a.of(1) == 3);
    CHECK(a.of(2) == 5);
    CHECK(a.of(7) == 0);
}

TEST_CASE("race: reads conflict with writes, writes with both, and the overlap is reported") {
    Shadow shadow;
    const Clock nothing;
    shadow.add(100, 200, true, stamp(1, 1), nothing);
    CHECK_FALSE(shadow.find(0, 100, true, nothing));
    CHECK_FALSE(shadow.find(200, 300, true, nothing));
    const auto conflict = shadow.find(150, 300, false, nothing);
    REQUIRE(conflict);
    CHECK(conflict->begin == 150);
    CHECK(conflict->end == 200);
    CHECK(conflict->other_writes);
    CHECK_FALSE(shadow.find(150, 300, true, knowing(1, 1)));

    Shadow reads;
    reads.add(0, 10, false, stamp(1, 1), nothing);
    reads.add(5, 15, false, stamp(2, 1), nothing);
    CHECK_FALSE(reads.find(0, 20, false, nothing));
    const auto second = reads.find(0, 20, true, knowing(1, 1));
    REQUIRE(second);
    CHECK(second->begin == 5);
    CHECK(second->end == 10);
    CHECK(second->other.operation->actor == 2);
    CHECK_FALSE(second->other_writes);
}

TEST_CASE("race: a write in the middle leaves the records around it") {
    Shadow shadow;
    const Clock nothing;
    shadow.add(0, 100, true, stamp(1, 1), nothing);
    shadow.add(40, 60, true, stamp(2, 1), knowing(1, 1));
    Clock one = knowing(1, 1);
    CHECK_FALSE(shadow.find(0, 40, true, one));
    CHECK_FALSE(shadow.find(60, 100, true, one));
    CHECK(shadow.find(39, 41, true, one)->begin == 40);
    shadow.erase(40, 60);
    CHECK_FALSE(shadow.find(0, 100, true, one));
}

TEST_CASE("race: exactly the operations known to all are forgotten") {
    Shadow shadow;
    const Clock nothing;
    shadow.add(0, 10, true, stamp(1, 1), nothing);
    shadow.add(10, 20, true, stamp(1, 2), nothing);
    shadow.add(20, 30, false, stamp(2, 1), nothing);
    shadow.prune(knowing(1, 1));
    CHECK(shadow.size() == 2);
    CHECK_FALSE(shadow.find(0, 10, true, nothing));
    CHECK(shadow.find(10, 20, false, nothing));
    CHECK(shadow.find(20, 30, true, nothing));
}

} // namespace race_shadow_test
