// SPDX-License-Identifier: Apache-2.0
#include "../support/no_threads.hpp"
#include "base/serial_thread.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using ferry::detail::Lane;

TEST_CASE("lane: a thread that the system refuses is an error, and then as if nothing had been pushed") {
    int ran = 0;
    {
        Lane lane("test");
        Lane unused("test");
        for (Lane* const refused : {&lane, &unused, &lane}) {
            const support::NoThreads none;
            try {
                refused->push([&ran] { ran += 100; });
                FAIL("there was a thread");
            } catch (const ferry::Error& error) {
                CHECK(error.code() == ferry::Code::out_of_memory);
                CHECK(std::string(error.what()).find("thread test") != std::string::npos);
            }
        }
        lane.drain();
        lane.push([&ran] { ++ran; });
        lane.drain();
        CHECK(ran == 1);
    } // their ends do not wait for items that never began
    CHECK(ran == 1);
}

TEST_CASE("lane: tasks run in order, and drain waits for them") {
    Lane lane("test");
    lane.drain(); // nothing was pushed
    std::vector<int> ran;
    for (int i = 0; i < 1000; ++i) {
        lane.push([&ran, i] { ran.push_back(i); });
    }
    lane.drain();
    REQUIRE(ran.size() == 1000);
    for (int i = 0; i < 1000; ++i) {
        CHECK(ran[static_cast<std::size_t>(i)] == i);
    }
}
