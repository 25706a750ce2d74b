// SPDX-License-Identifier: Apache-2.0
// Order of the vendor's and Ferry's events in two hard cases: after pending host work, and under the race
// check, which does not see the vendor's calls.
#include "check.hpp"
#include "devices.hpp"
#include "foreign.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

namespace interop_order_test {

using namespace conformance;
using ferry::Code;
using Word = Vendor::Word;

namespace {

std::atomic<bool> gate_open{true};

void waits(const ferry::HostGroup&) {
    gate_open.wait(false);
}
void fails(const ferry::HostGroup&) {
    throw std::runtime_error("failed on the host");
}

// A queue waits for its work at its end. Objects that complete this work are declared after the queue, so
// that a failing test completes the work before the queue ends.

/// A vendor's event that the program completes. Throws Error (unsupported) if this vendor has none.
class Held {
public:
    explicit Held(const Vendor& vendor) : vendor_(vendor), event_(vendor.make_event()) {
        if (event_ == nullptr) {
            throw ferry::Error(Code::unsupported, "this vendor has no events that the program completes");
        }
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    ~Held() {
        complete();
        vendor_.release_event(event_);
    }
    void* get() const noexcept { return event_; }
    void complete() {
        if (!std::exchange(completed_, true)) {
            vendor_.complete_event(event_);
        }
    }

private:
    const Vendor& vendor_;
    void* const event_;
    bool completed_ = false;
};

/// Work of the host device that queues of other devices wait for. They wait on a host thread.
class HostWork {
public:
    explicit HostWork(const ferry::Device& device) {
        const ferry::Settings before = ferry::settings();
        ferry::Settings both = before;
        both.backend = std::string(to_string(device.backend())) + ",host";
        both.device.reset();
        ferry::configure(both);
        const ferry::Device host = ferry::find_device("host:0");
        ferry::configure(before);
        queue_.emplace(host);
        static constexpr ferry::HostKernel kernels[] = {ferry::host_kernel<waits>("waits"),
                                                        ferry::host_kernel<fails>("fails")};
        program_ = ferry::Program{host, ferry::Source::host(kernels)};
    }
    HostWork(const HostWork&) = delete;
    HostWork& operator=(const HostWork&) = delete;
    ~HostWork() { open(); }

    /// An event that is not complete before open().
    ferry::Event closed() {
        gate_open = false;
        queue_->launch(program_.kernel("waits"), {1, 1});
        return queue_->record();
    }
    static void open() {
        gate_open = true;
        gate_open.notify_all();
    }
    /// An event whose work fails after open().
    ferry::Event failed() {
        gate_open = false;
        queue_->launch(program_.kernel("waits"), {1, 1});
        queue_->launch(program_.kernel("fails"), {1, 1});
        return queue_->record();
    }
    ferry::Queue& queue() { return *queue_; }

private:
    std::optional<ferry::Queue> queue_;
    ferry::Program program_;
};

/// The race check watches queues made during its lifetime.
class Checked {
public:
    Checked() : before_(ferry::settings()) {
        ferry::Settings checked = before_;
        checked.check = "races";
        ferry::configure(checked);
    }
    Checked(const Checked&) = delete;
    Checked& operator=(const Checked&) = delete;
    ~Checked() { ferry::configure(before_); }

private:
    ferry::Settings before_;
};

} // namespace

FERRY_TEST("interop order: a vendor's event is waited for in its turn, after work of the host") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Vendor& vendor = *foreign.vendor;
    ferry::Queue queue{device};
    ferry::Queue other{device};
    HostWork host{device};
    for (Word round = 1; round <= 5; ++round) {
        other.fill(foreign.target, 0xDEADU);
        foreign.iota(other, round);
        other.finish();
        queue.wait(host.closed());
        foreign.copy();
        void* const event = vendor.record(foreign.native.handle);
        vendor.wait_event(queue, event);
        foreign.add(queue, 500);
        CHECK_FALSE(queue.idle());
        if (device.backend() == ferry::Backend::opencl) {
            vendor.release_event(event); // the queue keeps a reference
        }
        HostWork::open();
        check_same(queue.read(foreign.target), Foreign::counted(round + 500));
        if (device.backend() != ferry::Backend::opencl) {
            vendor.release_event(event);
        }
    }
}

FERRY_TEST("interop order, completed by the program: no command after a vendor's event begins before it") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Vendor& vendor = *foreign.vendor;
    for (const bool behind_host_work : {false, true}) {
        ferry::Queue queue{device};
        ferry::Queue other{device};
        HostWork host{device};
        Held held{vendor};
        other.fill(foreign.target, 7U);
        other.finish();
        if (behind_host_work) {
            queue.wait(host.closed());
        }
        vendor.wait_event(queue, held.get());
        foreign.add(queue, 1);
        const ferry::Event done = queue.record();
        HostWork::open();
        host.queue().finish();
        // Uses the vendor's calls. The race check would report a command of Ferry that reads the target,
        // because it cannot know that the event is completed later.
        vendor.copy_on(foreign.native.handle, foreign.second.place, foreign.first.place, Foreign::size);
        vendor.finish(foreign.native.handle);
        check_same(other.read(foreign.source), std::vector<Word>(Foreign::size, 7U));
        CHECK_FALSE(done.ready());
        held.complete();
        done.wait();
        check_same(other.read(foreign.target), std::vector<Word>(Foreign::size, 8U));
    }
}

// Uses work-group sizes that no other test has. With some drivers, a kernel's first launch with a size, or
// its widest launch, cannot run together with other launches of that kernel (docs/design/opencl.md).
FERRY_TEST("interop order, completed by the program: enqueueing a launch after a vendor's event does not "
           "wait for it") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    ferry::Buffer<Word> mine{device, Foreign::size};
    ferry::Queue queue{device};
    ferry::Queue other{device};
    Held held{*foreign.vendor};
    other.fill(foreign.target, 7U);
    other.finish();
    foreign.vendor->wait_event(queue, held.get());
    const ferry::Grid narrow = ferry::Grid::covering(Foreign::size, 37);
    const ferry::Grid wide{2 * narrow.groups.x, 37};
    queue.launch(kernel(device, "iota"), narrow, foreign.source, foreign.n, 10U);
    queue.launch(kernel(device, "add"), narrow, foreign.target, foreign.n, 1U);
    // The first launch of another kernel does not wait for these.
    other.fill(mine, 3U);
    other.launch(kernel(device, "stir"), narrow, mine, foreign.n, 5U);
    std::vector<Word> stirred(Foreign::size);
    for (Word i = 0; i < Foreign::size; ++i) {
        stirred[i] = stir_result(3, i, 5);
    }
    check_same(other.read(mine), stirred);
    other.launch(kernel(device, "iota"), wide, mine, foreign.n, 20U);
    queue.launch(kernel(device, "add"), wide, foreign.target, foreign.n, 1U);
    CHECK_FALSE(queue.idle());
    held.complete();
    check_same(other.read(mine), Foreign::counted(20));
    check_same(queue.read(foreign.source), Foreign::counted(10));
    check_same(queue.read(foreign.target), std::vector<Word>(Foreign::size, 9U));
}

FERRY_TEST(
    "interop order: the vendor's handle of an event is there when the work of the host before it is done") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Vendor& vendor = *foreign.vendor;
    ferry::Queue queue{device};
    HostWork host{device};
    for (Word round = 1; round <= 5; ++round) {
        queue.wait(host.closed());
        foreign.iota(queue, round);
        const ferry::Event event = queue.record();
        std::atomic<void*> handle{nullptr};
        std::thread asks([&] { handle = vendor.event_of(event); });
        std::this_thread::yield();
        CHECK(handle.load() == nullptr);
        HostWork::open();
        asks.join();
        REQUIRE(handle.load() != nullptr);
        vendor.wait_for(foreign.native.handle, handle);
        foreign.copy();
        vendor.finish(foreign.native.handle);
        check_same(queue.read(foreign.target), Foreign::counted(round));
    }
}

FERRY_TEST("interop order: an event of failed host work has no handle") {
    const Foreign foreign{device};
    HostWork host{device};
    ferry::Queue queue{device};
    queue.wait(host.failed());
    const ferry::Event event = queue.record(); // after the wait, which has not failed yet
    HostWork::open();
    expect_error_anywhere(Code::command_failed, {"fails", "failed on the host"},
                          [&] { (void)foreign.vendor->event_of(event); });
    expect_error_anywhere(Code::command_failed, {"fails"}, [&] { queue.finish(); });
    expect_error_anywhere(Code::command_failed, {"fails"}, [&] { host.queue().finish(); });
    check_still_works(device);
}

FERRY_TEST("interop order, completed by the program: an event that is complete once another queue is done") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Checked checked; // expects no race
    ferry::Queue one{device};
    ferry::Queue two{device};
    Held held{*foreign.vendor};
    foreign.vendor->wait_event(two, held.get());
    foreign.iota(one, 10);
    foreign.iota(two, 20); // must not run before the event
    one.finish();
    held.complete();
    check_same(two.read(foreign.source), Foreign::counted(20));
}

FERRY_TEST("interop order: order made by the vendor is no race") {
    const Unchanged unchanged{device};
    const Foreign foreign{device};
    const Vendor& vendor = *foreign.vendor;
    const Checked checked;
    ferry::Queue one{device};
    ferry::Queue two{device};
    std::vector<void*> events;
    SUBCASE("a vendor's event behind work that waited for an event of Ferry's") {
        foreign.iota(one, 10);
        vendor.wait_for(foreign.native.handle, vendor.event_of(one.record()));
        foreign.copy();
        events.push_back(vendor.record(foreign.native.handle));
        vendor.wait_event(two, events.back());
        foreign.iota(two, 20);
        foreign.add(two, 5);
        check_same(two.read(foreign.target), Foreign::counted(15));
    }
    SUBCASE("the same, for a third queue that waits for an event of the second") {
        foreign.iota(one, 10);
        vendor.wait_for(foreign.native.handle, vendor.event_of(one.record()));
        foreign.copy();
        events.push_back(vendor.record(foreign.native.handle));
        vendor.wait_event(two, events.back());
        ferry::Queue three{device};
        three.wait(two.record());
        foreign.iota(three, 20);
        three.finish();
    }
    SUBCASE("the vendor's wait for a queue") {
        foreign.iota(one, 10);
        static_cast<void>(vendor.read(one, foreign.first.place, 1));
        foreign.iota(two, 20);
    }
    SUBCASE("a queue over the vendor's, which waited for an event of Ferry's there") {
        foreign.iota(one, 10);
        vendor.wait_for(foreign.native.handle, vendor.event_of(one.record()));
        ferry::Queue over = vendor.borrow_queue(foreign.native.handle);
        foreign.iota(over, 20);
        vendor.finish(foreign.native.handle);
        foreign.iota(two, 30);
    }
    one.finish();
    two.finish();
    for (void* const event : events) {
        vendor.release_event(event);
    }
}

FERRY_TEST("interop order: races of queues without a vendor's order are still found") {
    const Foreign foreign{device};
    const Checked checked;
    ferry::Queue one{device};
    ferry::Queue two{device};
    foreign.iota(one, 10);
    expect_error_anywhere(Code::invalid_state, {"A race", "iota"}, [&] { foreign.iota(two, 20); });
    one.finish();
    foreign.copy();
    void* const event = foreign.vendor->record(foreign.native.handle);
    foreign.vendor->wait_event(two, event);
    two.finish(); // includes the work that nothing has checked yet
    foreign.iota(one, 30);
    expect_error_anywhere(Code::invalid_state, {"A race", "iota"}, [&] { foreign.iota(two, 40); });
    one.finish();
    foreign.vendor->release_event(event);
}

} // namespace interop_order_test
