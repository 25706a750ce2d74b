// SPDX-License-Identifier: Apache-2.0
// Events of the emulated GPU, as AMD's runtime waits for them.
#include "../device_memory.hpp"
#include "../events.hpp"

#include <doctest/doctest.h>
#include <hsakmt.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace {

constexpr HSAuint32 milliseconds = 60'000; // ends a test that would hang
constexpr HSAuint32 at_once = 1;

struct Event {
    HsaEvent* event = nullptr;

    explicit Event(bool manual = false) {
        HsaEventDescriptor descriptor = {};
        descriptor.EventType = HSA_EVENTTYPE_SIGNAL;
        REQUIRE(hsaKmtCreateEvent(&descriptor, manual, false, &event) == HSAKMT_STATUS_SUCCESS);
    }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    ~Event() { hsaKmtDestroyEvent(event); }
    HSAKMT_STATUS wait(HSAuint32 limit = milliseconds) const { return hsaKmtWaitOnEvent(event, limit); }
};

// Waits for EVENT in COUNT threads at once, and then makes a change that ends the waits.
template <class Wait, class Change>
std::vector<HSAKMT_STATUS> in_threads(unsigned count, const HsaEvent& event, const Wait& wait,
                                      const Change& change) {
    std::vector<HSAKMT_STATUS> statuses(count);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        threads.emplace_back([&, i] { statuses[i] = wait(i); });
    }
    while (amd_gpu::waiting_threads(event.EventId) != count) {
        std::this_thread::yield();
    }
    change();
    for (std::thread& thread : threads) {
        thread.join();
    }
    return statuses;
}

} // namespace

// The test has no device that would reach the memory of the events.
void amd_gpu::show_to_all(void* /*unused*/, u64 /*unused*/) {}

TEST_CASE("emulated events: a set event wakes all threads that wait for it") {
    const Event one;
    const Event other;
    for (int round = 0; round < 3; ++round) {
        const auto statuses = in_threads(
            4, *one.event,
            [&](unsigned i) {
                HsaEvent* both[] = {other.event, one.event};
                return i % 2 == 0 ? one.wait() : hsaKmtWaitOnMultipleEvents(both, 2, false, milliseconds);
            },
            [&] { hsaKmtSetEvent(one.event); });
        CHECK(std::count(statuses.begin(), statuses.end(), HSAKMT_STATUS_SUCCESS) == 4);
        CHECK(one.wait(at_once) == HSAKMT_STATUS_WAIT_TIMEOUT);
    }
}

TEST_CASE("emulated events: one that is set before the wait is reset by it, unless it is a manual one") {
    const Event automatic;
    const Event manual{true};
    hsaKmtSetEvent(automatic.event);
    hsaKmtSetEvent(manual.event);
    CHECK(automatic.wait() == HSAKMT_STATUS_SUCCESS);
    CHECK(automatic.wait(at_once) == HSAKMT_STATUS_WAIT_TIMEOUT);
    CHECK(manual.wait() == HSAKMT_STATUS_SUCCESS);
    CHECK(manual.wait() == HSAKMT_STATUS_SUCCESS);
}

TEST_CASE("emulated events: a wait for all needs each of them, in any order") {
    const Event one;
    const Event other;
    HsaEvent* both[] = {one.event, other.event};
    hsaKmtSetEvent(other.event);
    const auto statuses = in_threads(
        1, *one.event, [&](unsigned) { return hsaKmtWaitOnMultipleEvents(both, 2, true, milliseconds); },
        [&] { hsaKmtSetEvent(one.event); });
    CHECK(statuses[0] == HSAKMT_STATUS_SUCCESS);
}

TEST_CASE("emulated events: the end of an event ends the waits for it") {
    auto* const event = new Event;
    HsaEvent* const handle = event->event;
    const auto statuses = in_threads(
        2, *handle, [&](unsigned) { return hsaKmtWaitOnEvent(handle, milliseconds); }, [&] { delete event; });
    CHECK(std::count(statuses.begin(), statuses.end(), HSAKMT_STATUS_WAIT_FAILURE) == 2);
}
