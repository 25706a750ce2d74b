// SPDX-License-Identifier: Apache-2.0
#include "../support/child_signal.hpp"
#include "child/child_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

using namespace ferry::detail::child_run;
using namespace std::chrono_literals;

namespace {

struct Run {
    ChildEnd end;
    std::string said;
};

Run shell(const std::string& script, const std::string& input = {}, std::chrono::milliseconds time = 60s,
          const std::vector<std::string>& environment = {"PATH=/usr/bin:/bin", "A=b"}) {
    Run run;
    const Clock::time_point until = Clock::now() + time;
    run.end = run_child(
        {.program = "/bin/sh", .arguments = {"sh", "-c", script}, .environment = &environment}, input,
        [&](std::string_view bytes) {
            run.said += bytes;
            return run.said.find("enough") == std::string::npos;
        },
        [&] { return until; });
    return run;
}

} // namespace

TEST_CASE("trial: a child gets its input and environment, and is heard") {
    const Run run = shell("cat; echo $A; echo unheard >&2; exit 3", "one\ntwo\n");
    CHECK(run.end.started);
    CHECK_FALSE(run.end.late);
    CHECK(run.said == "one\ntwo\nb\n");
    CHECK(run.end.how == "ended with status 3");
}

TEST_CASE("trial: a child that does not read its input is no harm") {
    CHECK(shell("exit 0", std::string(30'000, 'x')).end.how == "ended with status 0");
}

TEST_CASE("trial: the end of a child is reported") {
    CHECK(shell("kill -11 $$").end.how == "ended by signal 11");
    CHECK(shell("kill -9 $$").end.how == "ended by signal 9");
}

TEST_CASE("trial: a child that exceeds its time is killed, with its own children") {
    const Run run = shell("sleep 1000 & echo begun; sleep 1000", {}, 300ms);
    CHECK(run.end.late);
    CHECK(run.end.how == "ended by signal 9");
    // Both held the output open, so it would not have ended earlier.
    const Run closed = shell("exec >&- <&-; sleep 1000", {}, 300ms);
    CHECK(closed.end.late);
    CHECK(closed.end.how == "ended by signal 9");
}

TEST_CASE("trial: a child that says too much is killed") {
    const Run run = shell("echo enough; sleep 1000");
    CHECK_FALSE(run.end.late);
    CHECK(run.end.how == "ended by signal 9");
}

TEST_CASE("trial: a program that cannot be started is reported") {
    const ChildEnd end = run_child(
        {.program = "/nowhere/program", .arguments = {"program"}}, "", [](std::string_view) { return true; },
        [] { return Clock::now() + 60s; });
    CHECK_FALSE(end.started);
    CHECK(end.how.find("could not be started: No such file") == 0);
}

TEST_CASE(
    "trial: a function runs in a copy of the process, with default signals and without its descriptors") {
    std::signal(SIGUSR1, SIG_IGN);
    const int open_here = ::open("/dev/null", O_RDONLY);
    const std::vector<std::string> environment{"A=b"};
    std::string said;
    int written_here = 1;
    const Clock::time_point until = Clock::now() + 60s;
    const ChildEnd end = run_child(
        {.environment = &environment,
         .function =
             [&] {
                 written_here = 2;
                 const char* const a = std::getenv("A"); // NOLINT(concurrency-mt-unsafe)
                 std::string text = a != nullptr && std::getenv("PATH") == nullptr ? a : "?";
                 text += ::fcntl(open_here, F_GETFD) == -1 ? " closed" : " open";
                 text += std::signal(SIGUSR1, SIG_DFL) == SIG_DFL ? " default" : " ignored";
                 text += ::getpgrp() == ::getpid() ? " leads" : " follows";
                 const ssize_t written = ::write(1, text.data(), text.size());
                 static_cast<void>(written);
             }},
        "", [&](std::string_view bytes) { return said += bytes, true; }, [&] { return until; });
    std::signal(SIGUSR1, SIG_DFL);
    ::close(open_here);
    CHECK(end.how == "ended with status 0");
    CHECK(said == "b closed default leads");
    CHECK(written_here == 1);
    const ChildEnd hung = run_child(
        {.function = [] { ::pause(); }}, "", [](std::string_view) { return true; },
        [until = Clock::now() + 200ms] { return until; });
    CHECK(hung.late);
    CHECK(hung.how == "ended by signal 9");
}

TEST_CASE("trial: a child is heard and its end is noticed however the program treats SIGCHLD") {
    for (const std::string mode : child_signal::modes) {
        CAPTURE(mode);
        const child_signal::Treated treated(mode);
        const Run run = shell("cat; sleep 0.05; exit 5", "words\n");
        CHECK(run.end.started);
        CHECK_FALSE(run.end.late);
        CHECK(run.said == "words\n");
        const bool known = run.end.how == "ended with status 5";
        CHECK((known ? !treated.loses_status() : !treated.keeps_status()));
        CHECK((known || run.end.how.find("its status is not known") != std::string::npos));
        const Run hung = shell("exec >&- <&-; sleep 1000", {}, 100ms);
        CHECK(hung.end.late);
    }
}

TEST_CASE("trial: a child starts with the default action for SIGCHLD") {
    const child_signal::Treated treated("ignored");
    // A shell that ignores SIGCHLD cannot trap it.
    CHECK(shell("trap 'echo got' CHLD; sleep 0.01; kill -CHLD $$; exit 0").said.find("got") == 0);
}
