// SPDX-License-Identifier: Apache-2.0
#include "../support/no_threads.hpp"
#include "base/serial_thread.hpp"

#include <ferry/error.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using ferry::detail::SerialThread;

TEST_CASE(
    "serial thread: a thread that the system refuses is an error, and then as if nothing had been pushed") {
    int ran = 0;
    {
        SerialThread thread("test");
        SerialThread unused("test");
        for (SerialThread* const refused : {&thread, &unused, &thread}) {
            const support::NoThreads none;
            try {
                refused->push([&ran] { ran += 100; });
                FAIL("there was a thread");
            } catch (const ferry::Error& error) {
                CHECK(error.code() == ferry::Code::out_of_memory);
                CHECK(std::string(error.what()).find("thread test") != std::string::npos);
            }
        }
        thread.drain();
        thread.push([&ran] { ++ran; });
        thread.drain();
        CHECK(ran == 1);
    } // their ends do not wait for items that never began
    CHECK(ran == 1);
}

TEST_CASE("serial thread: tasks run in order, and drain waits for them") {
    SerialThread thread("test");
    thread.drain(); // nothing was pushed
    std::vector<int> ran;
    for (int i = 0; i < 1000; ++i) {
        thread.push([&ran, i] { ran.push_back(i); });
    }
    thread.drain();
    REQUIRE(ran.size() == 1000);
    for (int i = 0; i < 1000; ++i) {
        CHECK(ran[static_cast<std::size_t>(i)] == i);
    }
}
