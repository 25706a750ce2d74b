// SPDX-License-Identifier: Apache-2.0
#include "../support/float_mode.hpp"
#include "base/serial_thread.hpp"
#include "system/float_environment.hpp"
#include "system/thread.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <cfenv>
#include <csignal>
#include <cstddef>
#include <thread>

using ferry::detail::DefaultFloatEnvironment;
using ferry::detail::SerialThread;
using ferry::detail::Thread;
using float_mode::State;

namespace {

/// Runs in a separate thread, because the mode belongs to the thread.
template <class Body>
void in_mode(const std::string& mode, Body body) {
    std::thread([&] {
        float_mode::set(mode);
        body();
    }).join();
}

State fresh() {
    State found;
    std::thread([&found] {
        std::fesetenv(FE_DFL_ENV);
        found = float_mode::state();
    }).join();
    return found;
}

} // namespace

TEST_CASE("thread: one starts with the default floating-point environment, whatever its parent has set") {
    const State wanted = fresh();
    for (const std::string& mode : float_mode::modes()) {
        CAPTURE(mode);
        State found;
        State parent;
        in_mode(mode, [&] {
            REQUIRE_FALSE(float_mode::state() == wanted);
            Thread("test", [&found] { found = float_mode::state(); }).join();
            parent = float_mode::state();
        });
        CHECK(found == wanted);
        CHECK_FALSE(parent == wanted);
    }
}

TEST_CASE(
    "thread: the default floating-point environment ends with its object, and the flags of before are back") {
    const State wanted = fresh();
    for (const char* const mode : {"none", "upward", "toward zero", "flush", "trap"}) {
        CAPTURE(mode);
        in_mode(mode, [&] {
            const State before = float_mode::state();
            std::feclearexcept(FE_ALL_EXCEPT);
            std::feraiseexcept(FE_UNDERFLOW);
            {
                const DefaultFloatEnvironment floats;
                CHECK(float_mode::state() == wanted);
                volatile double zero = 0;
                volatile double result = 1 / zero; // traps in the former mode
                result = zero / zero;
                static_cast<void>(result);
                std::fesetround(FE_DOWNWARD);
            }
            CHECK(float_mode::state() == before);
            CHECK(std::fetestexcept(FE_DIVBYZERO | FE_INVALID) == 0);
            CHECK(std::fetestexcept(FE_UNDERFLOW) != 0);
        });
    }
}

TEST_CASE("thread: a task of a serial thread does not see the mode that another one left") {
    const State wanted = fresh();
    State first;
    State second;
    in_mode("upward", [&] {
        SerialThread thread("test");
        thread.push([&first] {
            first = float_mode::state();
            float_mode::set("toward zero");
            float_mode::set("flush");
        });
        thread.push([&second] { second = float_mode::state(); });
        thread.drain();
    });
    CHECK(first == wanted);
    CHECK(second == wanted);
}

TEST_CASE("thread: it has the stack that it was asked for, whatever the program's own threads get") {
    pthread_attr_t before;
    REQUIRE(pthread_getattr_default_np(&before) == 0);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, std::size_t{64} << 10U);
    REQUIRE(pthread_setattr_default_np(&small) == 0);
    for (const std::size_t wanted : {std::size_t{100'003}, std::size_t{37} << 20U, std::size_t{0}}) {
        std::size_t found = 0;
        const auto look = [&found] {
            pthread_attr_t own;
            REQUIRE(pthread_getattr_np(pthread_self(), &own) == 0);
            pthread_attr_getstacksize(&own, &found);
            pthread_attr_destroy(&own);
        };
        (wanted != 0 ? Thread("test", look, wanted) : Thread("test", look)).join();
        CHECK(found >= (wanted != 0 ? wanted : std::size_t{8} << 20U));
    }
    pthread_setattr_default_np(&before);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&small);
}

TEST_CASE("thread: the program's signals are blocked in it, and those of its own faults are not") {
    sigset_t found;
    sigemptyset(&found);
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    std::thread([&] {
        pthread_sigmask(SIG_BLOCK, &faults, nullptr); // in the parent
        Thread("test", [&found] { pthread_sigmask(SIG_SETMASK, nullptr, &found); }).join();
    }).join();
    for (const int signal : {SIGINT, SIGTERM, SIGCHLD, SIGUSR1, SIGALRM}) {
        CHECK(sigismember(&found, signal) == 1);
    }
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        CHECK(sigismember(&found, signal) == 0);
    }
}
