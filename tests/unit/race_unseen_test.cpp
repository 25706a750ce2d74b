// SPDX-License-Identifier: Apache-2.0
// The race check's treatment of order that the vendor knows and Ferry does not.
#include "check/checker.hpp"

#include <doctest/doctest.h>

#include <array>

namespace race_unseen_test {

using namespace ferry::detail::race;

namespace {

struct Scene {
    Checker checker;
    Actor one = checker.add_queue("one"), two = checker.add_queue("two"), three = checker.add_queue("three");
    std::array<std::byte, 64> bytes{};

    /// Whether the queue may write the bytes now. Records the write.
    bool writes(Actor queue) {
        const Access access{{}, bytes.data(), bytes.size(), true};
        try {
            checker.access(queue, "write", {&access, 1}, ferry::SourceLocation::current());
            return true;
        } catch (const ferry::Error& error) {
            CHECK(error.code() == ferry::Code::invalid_state);
            return false;
        }
    }
};

} // namespace

TEST_CASE("race: a queue that waits for unseen work comes after everything, also after later commands") {
    Scene s;
    REQUIRE(s.writes(s.one));
    CHECK_FALSE(s.writes(s.two));
    s.checker.wait_unseen(s.two);
    CHECK(s.writes(s.two));
    CHECK_FALSE(s.writes(s.one)); // it did not wait
    s.checker.wait(s.one, *s.checker.record(s.two));
    CHECK(s.writes(s.one));
    CHECK(s.writes(s.two)); // the event may be completed after this write
    CHECK_FALSE(s.writes(s.three));
}

TEST_CASE("race: operations after a queue that waited for unseen work come after everything too") {
    Scene s;
    s.checker.wait_unseen(s.two);
    s.checker.wait(s.three, *s.checker.record(s.two));
    REQUIRE(s.writes(s.one));
    CHECK(s.writes(s.three));
}

TEST_CASE("race: once the host has seen the wait pass, the queue is as before") {
    Scene s;
    s.checker.wait_unseen(s.two);
    SUBCASE("an event recorded behind the wait") {
        s.checker.host_waits(*s.checker.record(s.two));
    }
    SUBCASE("by way of a third queue") {
        s.checker.wait(s.three, *s.checker.record(s.two));
        s.checker.host_waits(*s.checker.record(s.three));
        REQUIRE(s.writes(s.one));
        CHECK_FALSE(s.writes(s.three));
        return;
    }
    REQUIRE(s.writes(s.one));
    CHECK_FALSE(s.writes(s.two));
}

TEST_CASE("race: an event recorded before the wait says nothing of it") {
    Scene s;
    const auto before = s.checker.record(s.two);
    s.checker.wait_unseen(s.two);
    s.checker.host_waits(*before);
    REQUIRE(s.writes(s.one));
    CHECK(s.writes(s.two));
}

TEST_CASE("race: a wait of the host for unseen work covers all enqueued commands") {
    Scene s;
    REQUIRE(s.writes(s.one));
    s.checker.wait_unseen(s.two);
    s.checker.host_waits(*s.checker.record(s.two));
    CHECK(s.writes(s.three));
}

TEST_CASE("race: a queue with a native handle in the program comes after and before everything") {
    Scene s;
    REQUIRE(s.writes(s.one));
    s.checker.expose(s.two);
    CHECK(s.writes(s.two));
    CHECK(s.writes(s.one));
    s.checker.host_waits(*s.checker.record(s.two)); // the program still holds it
    REQUIRE(s.writes(s.one));
    CHECK(s.writes(s.two));
    CHECK(s.writes(s.three));
    CHECK_FALSE(s.writes(s.one));
}

TEST_CASE("race: a queue at the address of a destroyed one is watched") {
    Scene s;
    s.checker.expose(s.two);
    s.checker.remove_queue(s.two);
    const Actor next = s.checker.add_queue("next");
    REQUIRE(next == s.two);
    REQUIRE(s.writes(s.one));
    CHECK_FALSE(s.writes(next));
    CHECK(s.writes(s.one));
}

} // namespace race_unseen_test
