// SPDX-License-Identifier: Apache-2.0
#include "host_backend_fixture.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace host_event_test {

using namespace host_test;
using ferry::HostGroup;

namespace {

void fail(const HostGroup&) {
    throw std::runtime_error("on purpose");
}
void increment(const HostGroup&, std::uint64_t* number) {
    ++*number;
}

} // namespace

TEST_CASE("host: an event is complete before its first recording and when its place is reached") {
    const auto q = queue();
    const auto e = event();
    CHECK(e->ready());
    Gate gate;
    gate.hold(*q);
    q->record(*e);
    CHECK_FALSE(e->ready());
    CHECK_FALSE(q->idle());
    gate.let_go();
    e->wait();
    CHECK(e->ready());
}

TEST_CASE("host: a wait refers to the recording it was given, not to a later one") {
    const auto first = queue();
    const auto second = queue();
    const auto waiting = queue();
    const auto e = event();
    const auto reached = event();
    Gate gate;
    gate.hold(*first);
    first->record(*e);
    waiting->wait(*e);
    waiting->record(*reached);
    second->record(*e);
    e->wait(); // the later recording completes at once
    CHECK_FALSE(reached->ready());
    gate.let_go();
    reached->wait();

    // The reverse: a later recording does not delay the wait for an earlier one.
    Gate later;
    first->record(*e);
    waiting->wait(*e);
    waiting->record(*reached);
    later.hold(*second);
    second->record(*e);
    reached->wait();
    CHECK_FALSE(e->ready());
    later.let_go();
    e->wait();
}

TEST_CASE("host: an error goes along with the event into the waiting queue") {
    const OneKernel fails{ferry::host_kernel<fail>("fail")};
    const OneKernel increments{ferry::host_kernel<increment>("increment")};
    const auto a = queue();
    const auto b = queue();
    const auto e = event();
    const auto n = memory(8);
    std::memset(n->host, 0, 8);
    a->launch(*fails, {1, 1}, {});
    a->record(*e);
    b->wait(*e);
    b->launch(*increments, {1, 1}, std::array{buffer(n.get())});
    CHECK_THROWS_AS(b->finish(), ferry::Error);
    CHECK_THROWS_AS(a->finish(), ferry::Error);
    CHECK(*static_cast<std::uint64_t*>(n->host) == 0);
    a->record(*e);
    b->wait(*e);
    b->finish();
    a->finish();
}

TEST_CASE("host: times between events") {
    const auto q = queue();
    const auto start = event();
    const auto end = event();
    CHECK_FALSE(end->since(*start).has_value());
    Gate gate;
    q->record(*start);
    gate.hold(*q);
    q->record(*end);
    gate.wait_until_reached();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    gate.let_go();
    q->finish();
    CHECK(end->since(*start).value() >= std::chrono::milliseconds(5));
    const auto untimed = device().create_event(false);
    q->record(*untimed);
    q->finish();
    CHECK_FALSE(untimed->since(*start).has_value());
}

TEST_CASE("host: two queues hand a number to and fro") {
    constexpr std::uint64_t rounds = 3000;
    const OneKernel increments{ferry::host_kernel<increment>("increment")};
    const std::array queues{queue(), queue()};
    const std::array events{event(), event()};
    const auto n = memory(8);
    std::memset(n->host, 0, 8);
    for (std::uint64_t i = 0; i < rounds; ++i) {
        queues[i % 2]->wait(*events[(i + 1) % 2]);
        queues[i % 2]->launch(*increments, {1, 1}, std::array{buffer(n.get())});
        queues[i % 2]->record(*events[i % 2]);
    }
    events[(rounds - 1) % 2]->wait();
    CHECK(*static_cast<std::uint64_t*>(n->host) == rounds);
}

} // namespace host_event_test
