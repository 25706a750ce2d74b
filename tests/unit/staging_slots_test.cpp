// SPDX-License-Identifier: Apache-2.0
#include "../support/eventually.hpp"
#include "base/copy_threads.hpp"
#include "staging/policy.hpp"
#include "staging/slots.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace staging_slots_test {

using namespace ferry::detail::staging;

namespace {

constexpr std::size_t slot = std::size_t{64} << 10;

struct Small {
    Tuning before = tuning();
    Small() {
        tuning().slot_bytes = slot;
        tuning().bytes_for_a_slot = slot;
        tuning().threads = 2;
    }
    Small(const Small&) = delete;
    Small& operator=(const Small&) = delete;
    ~Small() { // leaves the fields that idle copy threads still read
        tuning().slot_bytes = before.slot_bytes;
        tuning().bytes_for_a_slot = before.bytes_for_a_slot;
        tuning().threads = before.threads;
    }
};

} // namespace

TEST_CASE("staging policy: pieces keep all threads busy and fit a slot") {
    constexpr std::size_t mib = std::size_t{1} << 20;
    CHECK(piece_bytes(1024 * mib, 4 * mib, 8) == 4 * mib);
    CHECK(piece_bytes(2 * mib, 4 * mib, 8) == mib / 4);
    CHECK(piece_bytes(18 * mib, 4 * mib, 8) == mib);
    CHECK(piece_bytes(1, 4 * mib, 8) == mib / 4);
    CHECK(piece_bytes(64 * mib, mib / 8, 1) == mib / 8);
    CHECK(thread_limit().threads >= 1);
    CHECK(most_slots(1) == 4);
    CHECK(most_slots(8) == 16);
    CHECK(most_slots(100) == 32);
}

TEST_CASE("staging slots: few copies are not worth them, and their number is limited") {
    const Small small;
    Slots slots(nullptr);
    CHECK(!slots.worth(slot));
    CHECK(!slots.worth(slot));
    CHECK(slots.worth(slot)); // the third copy makes it worthwhile
    Lease lease(slots);
    std::vector<Slot*> taken;
    while (Slot* one = lease.take()) {
        taken.push_back(one);
    }
    CHECK(taken.size() == 3);
    CHECK(slots.worth(100 * slot));
    while (Slot* one = lease.take()) {
        taken.push_back(one);
    }
    CHECK(taken.size() == most_slots(2));
    CHECK(slots.info().slots == taken.size());
    for (Slot* one : taken) {
        CHECK(one->bytes == slot);
        CHECK(reinterpret_cast<std::uintptr_t>(one->data) % 4096 == 0);
        lease.give(one);
    }
    slots.trim(std::chrono::hours(1));
    CHECK(slots.info().slots == taken.size());
    slots.trim({});
    CHECK(slots.info().slots == 0);
}

TEST_CASE("staging slots: a second copy gets its share, and the first one continues") {
    const Small small;
    Slots slots(nullptr);
    CHECK(slots.worth(100 * slot));
    Lease hog(slots);
    std::vector<Slot*> taken;
    while (Slot* one = hog.take()) {
        taken.push_back(one);
    }
    std::atomic<int> got{0};
    std::thread other([&] {
        Lease lease(slots);
        Slot* const first = lease.wait();
        ++got;
        Slot* second = nullptr;
        while (second == nullptr) {
            second = lease.take();
            std::this_thread::yield();
        }
        ++got;
        lease.give(first);
        lease.give(second);
    });
    while (got < 2) { // releases one and needs it again at once, as a running copy does
        hog.give(taken.back());
        taken.pop_back();
        std::this_thread::yield();
        while (taken.size() < most_slots(2)) {
            Slot* const again = hog.take();
            if (again == nullptr) {
                break;
            }
            taken.push_back(again);
        }
        if (taken.empty()) {
            taken.push_back(hog.wait());
        }
    }
    other.join();
    for (Slot* one : taken) {
        hog.give(one);
    }
}

TEST_CASE("staging slots: more copies than slots all come to their end") {
    const Small small;
    Slots slots(nullptr);
    CHECK(slots.worth(100 * slot));
    std::atomic<int> at_once{0};
    std::atomic<int> most{0};
    std::vector<std::thread> copies;
    copies.reserve(12);
    for (int i = 0; i < 12; ++i) {
        copies.emplace_back([&] {
            Lease lease(slots);
            for (int round = 0; round < 50; ++round) {
                Slot* const one = lease.wait();
                const int now = ++at_once;
                for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                }
                std::fill(one->data, one->data + 1000, std::byte{3});
                std::this_thread::yield();
                --at_once;
                lease.give(one);
            }
        });
    }
    for (std::thread& copy : copies) {
        copy.join();
    }
    CHECK(most <= static_cast<int>(most_slots(2)));
    CHECK(most > 0);
}

TEST_CASE("staging workers: all work is done, by no more threads than there may be, which end when asked") {
    Workers& workers = Workers::get();
    std::atomic<int> done{0};
    std::atomic<unsigned> seen{0};
    for (int i = 0; i < 500; ++i) {
        workers.push([&] {
            seen = std::max(seen.load(), workers.running());
            ++done;
        });
    }
    while (done < 500) {
        if (!workers.help()) {
            std::this_thread::yield();
        }
    }
    CHECK(seen <= workers.most());
    workers.end_idle();
    CHECK(support::eventually([&] { return workers.running() == 0; }));
    workers.push([&] { ++done; });
    while (done < 501) {
        std::this_thread::yield();
    }
    workers.end_idle();
    CHECK(support::eventually([&] { return workers.running() == 0; }));
}

} // namespace staging_slots_test
