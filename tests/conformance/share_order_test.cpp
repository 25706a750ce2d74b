// SPDX-License-Identifier: Apache-2.0
// Shares whose commands are delayed, or fail, at the critical moment.
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"
#include "shares.hpp"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

namespace share_order_test {

using namespace conformance;
using ferry::Access;
using ferry::Code;
using ferry::HostAccess;
using ferry::Placement;

namespace {

using Words = std::vector<std::uint32_t>;

/// Holds back the later commands of a queue of a host device until it is opened. Its destructor opens it, and
/// must run before that of the queues.
class Gate {
public:
    explicit Gate(const ferry::Device& device) : program_(device, ferry::Source::host(functions)) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    ~Gate() {
        open();
        for (std::uint32_t seen = passed_; seen != held_; seen = passed_) {
            passed_.wait(seen);
        }
    }

    void hold(ferry::Queue& queue) {
        queue.launch(program_.kernel("hold"), {1, 1}, reinterpret_cast<std::uintptr_t>(this));
        ++held_;
    }
    /// The same for a command that uses a share.
    template <class S>
    void hold(ferry::Queue& queue, const S& shared) {
        queue.launch(program_.kernel("hold_with"), {1, 1}, reinterpret_cast<std::uintptr_t>(this), shared);
        ++held_;
    }
    void open() {
        open_ = 1;
        open_.notify_all();
    }

    /// A command that uses a share and fails.
    template <class S>
    static void fail(ferry::Queue& queue, const S& shared) {
        const ferry::Program program{queue.device(), ferry::Source::host(functions)};
        queue.launch(program.kernel("fail"), {1, 1}, shared);
    }

private:
    static void hold_group(const ferry::HostGroup&, std::uintptr_t gate) {
        auto& self = *reinterpret_cast<Gate*>(gate);
        self.open_.wait(0);
        ++self.passed_;
        self.passed_.notify_all();
    }
    static void hold_with(const ferry::HostGroup& group, std::uintptr_t gate, const std::uint32_t*) {
        hold_group(group, gate);
    }
    static void fails(const ferry::HostGroup&, const std::uint32_t*) {
        throw std::runtime_error("failed on purpose");
    }
    static constexpr ferry::HostKernel functions[] = {ferry::host_kernel<hold_group>("hold"),
                                                      ferry::host_kernel<hold_with>("hold_with"),
                                                      ferry::host_kernel<fails>("fail")};

    ferry::Program program_;
    std::uint32_t held_ = 0;
    std::atomic<std::uint32_t> open_{0}, passed_{0};
};

void add_to(std::span<std::uint32_t> part, std::uint32_t value) {
    std::for_each(part.begin(), part.end(), [&](std::uint32_t& v) { v += value; });
}

/// A share of 64 words with two versions. A thread asks for a guard on the first 16 words, gets a new version
/// and waits for the gates. It writes 1000, 1001, ...
struct Waiting {
    explicit Waiting(const ferry::Device& device)
        : queue(device),
          held(device),
          other(device),
          data(random_values<std::uint32_t>(64)),
          model(data),
          shared(ferry::share(device, data, Access::device_updates,
                              {.allowed = Placement::stage, .versions = 2})),
          gate(device) {
        gate.hold(queue, shared.part(0, 16));
        gate.hold(held); // so that the copy of the next words keeps the host's version in use
        add(held, shared.part(32, 16), 16, 5);
        add_to(std::span(model).subspan(32, 16), 5);
        writer = std::thread([this] {
            const auto guard = shared.host_part(queue, HostAccess::read_write, 0, 16);
            same = std::equal(guard.begin(), guard.end(), model.begin());
            for (std::uint32_t i = 0; i < 16; ++i) {
                guard[i] = 1000 + i;
            }
        });
        while (shared.explain().bytes_down != 128) { // until the thread waits
            std::this_thread::yield();
        }
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting() {
        gate.open();
        if (writer.joinable()) {
            writer.join();
        }
    }
    void finish() {
        gate.open();
        writer.join();
        CHECK(same);
        for (std::uint32_t i = 0; i < 16; ++i) {
            model[i] = 1000 + i;
        }
    }

    ferry::Queue queue, held, other;
    Words data, model;
    ferry::Shared<std::uint32_t> shared;
    Gate gate;
    bool same = false;
    std::thread writer;
};

} // namespace

FERRY_TEST("share order: on the host, readers run at once, and a writer comes after all of them") {
    Words data = random_values<std::uint32_t>(1000);
    Words model = data;
    ferry::Queue first{device};
    ferry::Queue second{device};
    ferry::Queue third{device};
    ferry::Buffer<std::uint32_t> seen_first{device, 1000};
    ferry::Buffer<std::uint32_t> seen_second{device, 1000};
    auto one = ferry::share(device, data, Access::device_reads);
    auto two = ferry::share(device, data, Access::device_reads);
    auto written = ferry::share(device, data, Access::device_updates);
    const auto look = [&](ferry::Queue& queue, const auto& shared, const auto& seen) {
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(1000, 32), shared, shared, seen, 1000U);
    };
    Gate gate{device};
    gate.hold(first, one);
    look(first, one, seen_first); // waits for the gate of this queue
    look(second, two, seen_second);
    const ferry::Event read = second.record();
    second.flush();
    for (int turn = 0; turn < 6000 && !read.ready(); ++turn) { // a wait for the first reader would not end
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    CHECK(read.ready());
    CHECK(two.host(second)[999] == data[999]); // a read guard waits for no reader
    add(third, written, data.size(), 7);
    const ferry::Event added = third.record();
    third.flush();
    // A writer in place waits for readers in place. A writer on a separate copy waits for no one.
    const auto in_place = [](const auto& shared) {
        const Placement taken = shared.explain().taken;
        return taken != Placement::copy && taken != Placement::stage;
    };
    if (in_place(one) && in_place(written)) {
        // enough time for a writer that wrongly does not wait
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        CHECK_FALSE(added.ready());
    }
    gate.open();
    for (std::uint32_t& value : model) {
        value *= 4;
    }
    check_same(first.read(seen_first), model);
    check_same(second.read(seen_second), model);
    for (const auto* shared : {&one, &two}) {
        CHECK(shared->explain().bytes_down == 0);
    }
    look(second, two, seen_second); // after the writer
    for (std::uint32_t& value : model) {
        value += 4 * 7;
    }
    check_same(second.read(seen_second), model);
    written.end();
    CHECK(data[0] * 4 == model[0]);
}

FERRY_TEST("share order: on the host, chunks of a stream are worked on while another one is") {
    Words data = random_values<std::uint32_t>(1000);
    Words model = data;
    Gate gate{device};
    std::optional<ferry::Event> second;
    const auto work = [&](ferry::Queue& queue, ferry::View<std::uint32_t> chunk, std::size_t first) {
        if (first == 0) {
            gate.hold(queue);
        }
        add(queue, chunk, chunk.size(), 7);
        if (first == 100) {
            second = queue.record();
            queue.flush();
        }
        if (first == 200) { // called while the first chunk is held
            // a wait for the first chunk would not end
            for (int turn = 0; turn < 6000 && !second->ready(); ++turn) {
                std::this_thread::sleep_for(std::chrono::milliseconds(10));
            }
            CHECK(second->ready());
            gate.open();
        }
    };
    ferry::for_each_chunk(device, data, Access::device_updates, {.chunk_bytes = 400, .slots = 3}, work);
    add_to(model, 7);
    check_same(data, model);
}

FERRY_TEST(
    "share order: on the host, the result of a launch during a guard's wait for a fresh version is kept") {
    Waiting w{device};
    add(w.other, w.shared.part(48, 16), 16, 9);
    w.other.finish();
    add_to(std::span(w.model).subspan(48, 16), 9);
    w.finish();
    w.shared.end();
    check_same(w.data, w.model);
}

FERRY_TEST("share order: on the host, a guard that is opened while another waits for a fresh version stays") {
    Waiting w{device};
    {
        const auto guard = w.shared.host_part(w.other, HostAccess::read_write, 48, 16);
        w.finish();
        add_to(guard.span(), 3);
        add_to(std::span(w.model).subspan(48, 16), 3);
    }
    w.shared.end();
    check_same(w.data, w.model);
}

FERRY_TEST("share order: on the host, a fresh version has what a launch in place has written meanwhile") {
    const Gate there_are_any{device};
    Words data = random_values<std::uint32_t>(64);
    Words model = data;
    std::optional<ferry::Shared<std::uint32_t>> shared =
        ferry::share(device, data, Access::device_updates, {.allowed = Placement::alias, .versions = 2});
    ferry::Queue queues[] = {ferry::Queue{device}, ferry::Queue{device}, ferry::Queue{device}};
    Gate first{device};
    Gate second{device};
    first.hold(queues[0], shared->part(0, 16));
    std::atomic<bool> begun{false}, done{false};
    std::thread writer([&] {
        begun = true;
        const auto guard = shared->host_part(queues[0], HostAccess::read_write, 0, 16);
        std::fill(guard.begin(), guard.end(), 6U);
        done = true;
    });
    while (!begun) {
        std::this_thread::yield();
    }
    second.hold(queues[1]);
    add(queues[1], shared->part(48, 16), 16, 2);
    first.open();
    // The guard waits for the second gate now, so its end before the gate opens would be wrong. The test
    // allows some time for this wrong end.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    while (!done && std::chrono::steady_clock::now() < patience) {
        std::this_thread::yield();
    }
    second.open();
    writer.join();
    std::fill_n(model.begin(), 16, 6U);
    add_to(std::span(model).subspan(48, 16), 2);
    shared->end();
    check_same(data, model);
}

FERRY_TEST("share order: on the host, a version whose last command failed is as good as any other") {
    const Gate there_are_any{device};
    Words data = random_values<std::uint32_t>(64);
    std::optional<ferry::Shared<std::uint32_t>> shared =
        ferry::share(device, data, Access::device_reads, {.allowed = Placement::alias, .versions = 2});
    ferry::Queue queues[] = {ferry::Queue{device}, ferry::Queue{device}, ferry::Queue{device}};
    ferry::Queue host{device};
    Gate gates[] = {Gate{device}, Gate{device}, Gate{device}};
    const auto write = [&](std::uint32_t value) {
        const auto guard = shared->host(host, HostAccess::write);
        std::fill(guard.begin(), guard.end(), value);
    };
    gates[0].hold(queues[0], *shared); // the caller's version is in use
    write(1);
    Gate::fail(host, *shared); // a failing command uses the other version
    gates[1].hold(queues[1], *shared);
    CHECK_THROWS_AS(host.finish(), ferry::Error);
    gates[0].open();
    queues[0].finish();
    write(2); // to the caller's version
    gates[2].hold(queues[2], *shared);
    gates[1].open();
    queues[1].finish();
    write(3); // to the version whose command failed
    {
        const auto guard = shared->host(host);
        check_same(Words(guard.begin(), guard.end()), Words(64, 3U));
    }
    ferry::Buffer<std::uint32_t> seen{device, 64};
    host.launch(kernel(device, "combine"), ferry::Grid::covering(64, 32), *shared, *shared, seen, 64U);
    check_same(host.read(seen), Words(64, 12U));
    gates[2].open();
    shared->end();
    check_same(data, Words(64, 3U));
}

FERRY_TEST("share order: on the host, a failed command is reported until its bytes are rewritten") {
    ferry::Queue queue{device};
    ferry::Queue host{device};
    for (const Placement placement : {Placement::alias, Placement::stage}) {
        Words data = random_values<std::uint32_t>(64);
        Words model = data;
        auto shared =
            ferry::share(device, data, Access::device_updates, {.allowed = {placement, Placement::stage}});
        Gate::fail(queue, shared.part(8, 8));
        CHECK_THROWS_AS(queue.finish(), ferry::Error);
        for (int i = 0; i < 50; ++i) { // many uses must not remove it from the records
            add(queue, shared.part(32, 1), 1, 1);
            add(host, shared.part(33, 1), 1, 1);
            (void)shared.host_part(host, 40, 3);
        }
        queue.finish();
        host.finish();
        model[32] += 50;
        model[33] += 50;
        for (const std::size_t first : {0U, 15U}) {
            expect_error_anywhere(Code::command_failed, {"on purpose"},
                                  [&] { (void)shared.host_part(host, first, 16); });
        }
        {
            const auto guard = shared.host_part(host, HostAccess::write, 4, 16);
            std::fill(guard.begin(), guard.end(), 70U);
            std::fill_n(model.begin() + 4, 16, 70U);
        }
        {
            const auto guard = shared.host(queue);
            check_same(Words(guard.begin(), guard.end()), model);
        }
        shared.end();
        check_same(data, model);
    }
}

namespace {

/// Clears the faults of the stand-in at the end of the scope.
struct Faults {
    Faults(const ferry::Device& on, const char* faults) : device(on) { inject(device, faults); }
    Faults(const Faults&) = delete;
    Faults& operator=(const Faults&) = delete;
    ~Faults() { inject(device, ""); }
    const ferry::Device& device;
};

} // namespace

FERRY_TEST("share order: the double's failed copy to the host is reported, and made again") {
    inject(device, "");
    ferry::Queue queue{device};
    for (const bool prunes : {false, true}) {
        Words data = random_values<std::uint32_t>(100);
        Words model = data;
        auto shared = ferry::share(device, data, Access::device_updates, {.allowed = Placement::stage});
        add(queue, shared, 100, 4);
        add_to(model, 4);
        queue.finish();
        {
            const Faults faults(device, "later:hipMemcpyDtoHAsync:999:once");
            expect_error_anywhere(Code::internal, {"999"}, [&] { (void)shared.host(queue); });
        }
        CHECK_THROWS_AS(queue.finish(), ferry::Error);
        for (int i = 0; prunes && i < 50; ++i) { // enough uses to prune the records of complete ones
            add(queue, shared.part(static_cast<std::size_t>(i), 1), 1, 1);
            ++model[static_cast<std::size_t>(i)];
        }
        {
            const auto guard = shared.host(queue);
            check_same(Words(guard.begin(), guard.end()), model);
        }
        shared.end();
        check_same(data, model);
    }
}

FERRY_TEST("share order: the double's failed copy to the device is made again") {
    inject(device, "");
    ferry::Queue queue{device};
    Words data = random_values<std::uint32_t>(100);
    Words wanted(100);
    std::transform(data.begin(), data.end(), wanted.begin(), [](std::uint32_t v) { return 4 * v; });
    auto shared = ferry::share(device, data, Access::device_reads, {.allowed = Placement::stage});
    ferry::Buffer<std::uint32_t> out{device, 100};
    const auto launch = [&] {
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(100, 32), shared, shared, out, 100U);
    };
    queue.fill(out, 0U);
    queue.finish();
    {
        const Faults faults(device, "later:hipMemcpyHtoDAsync:999:once");
        launch();
        CHECK_THROWS_AS(queue.finish(), ferry::Error);
    }
    launch();
    check_same(queue.read(out), wanted);
    shared.end();
}

FERRY_TEST("share order: the double has no room for a version, and the guard waits") {
    inject(device, "");
    ferry::Queue queue{device};
    Words data = random_values<std::uint32_t>(3'000'000);
    Words model = data;
    auto shared =
        ferry::share(device, data, Access::device_updates, {.allowed = Placement::stage, .versions = 3});
    for (std::uint32_t round = 0; round < 4; ++round) {
        add(queue, shared, data.size(), round);
        add_to(model, round);
        const Faults faults(device, "hipHostMalloc:2");
        const auto guard = shared.host_part(queue, HostAccess::read_write, 0, 10);
        check_same(Words(guard.begin(), guard.end()), Words(model.begin(), model.begin() + 10));
        guard[3] = round;
        model[3] = round;
    }
    shared.end();
    check_same(data, model);
}

FERRY_TEST("share: const or read-only memory has no guard for writing") {
    ferry::Queue queue{device};
    const std::size_t bytes = 1 << 16;
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    const std::span<std::uint32_t> words(static_cast<std::uint32_t*>(pages), bytes / 4);
    std::fill(words.begin(), words.end(), 5U);
    REQUIRE(mprotect(pages, bytes, PROT_READ) == 0);
    ferry::Buffer<std::uint32_t> out{device, words.size()};
    const auto try_both = [&](auto& shared) {
        queue.launch(kernel(device, "combine"), ferry::Grid::covering(words.size(), 32), shared, shared, out,
                     static_cast<std::uint32_t>(words.size()));
        for (const HostAccess access : {HostAccess::write, HostAccess::read_write}) {
            expect_error(Code::invalid_argument, {"65536 bytes", "const", "read-only"},
                         [&] { (void)shared.host(queue, access); });
        }
        CHECK(shared.host(queue)[7] == 5);
        shared.end();
        check_same(queue.read(out), Words(words.size(), 20U));
    };
    {
        auto shared = ferry::share(device, words, Access::device_reads, {.versions = 2});
        try_both(shared);
    }
    REQUIRE(mprotect(pages, bytes, PROT_READ | PROT_WRITE) == 0);
    {
        auto shared = ferry::share(device, std::span<const std::uint32_t>(words), Access::device_reads);
        try_both(shared);
    }
    munmap(pages, bytes);
}

FERRY_TEST("share: the end is refused while a guard lives") {
    ferry::Queue queue{device};
    Words data(100, 1U);
    auto shared = ferry::share(device, data, Access::device_updates, {.versions = 2});
    add(queue, shared, 100, 1);
    {
        const auto guard = shared.host_part(queue, HostAccess::read_write, 10, 20);
        expect_error(Code::invalid_state, {"(400 bytes)", "guard", "writing", "40", "120"},
                     [&] { shared.end(); });
        guard[0] = 77;
    }
    add(queue, shared, 100, 1); // the share has not ended
    shared.end();
    CHECK(data[9] == 3);
    CHECK(data[10] == 78);
    CHECK(data[11] == 3);
}

FERRY_PAIR_TEST("share order: what the double could not copy back as its share ended is told to the others") {
    if (!is_double(from)) {
        return;
    }
    ferry::Queue queue{from};
    ferry::Queue other{to};
    for (const std::string fault : {"later:hipMemcpyDtoHAsync:999:once", "hipMemcpyDtoHAsync:999"}) {
        for (const bool by_end : {true, false}) {
            INFO(fault, by_end ? ", end()" : ", destructor");
            Words data = random_values<std::uint32_t>(1000);
            auto stays = ferry::share(to, data, Access::device_updates, {.allowed = Placement::stage});
            {
                auto ends = ferry::share(from, data, Access::device_updates, {.allowed = Placement::stage});
                add(queue, ends, 1000, 41);
                queue.finish();
                inject(from, fault.c_str());
                if (by_end) {
                    CHECK_THROWS_AS(ends.end(), ferry::Error);
                }
            }
            inject(from, "");
            CHECK_THROWS_AS((void)stays.host(other), ferry::Error);
            CHECK_THROWS_AS(add(other, stays, 1000, 1), ferry::Error);
            {
                const auto anew = stays.host_part(other, HostAccess::write, 0, 500);
                std::fill(anew.begin(), anew.end(), 7U);
            }
            CHECK(stays.host_part(other, 0, 500)[499] == 7U);
            CHECK_THROWS_AS((void)stays.host_part(other, 499, 2), ferry::Error);
            if (by_end) {
                stays.end();
            } else {
                CHECK_THROWS_AS(stays.end(), ferry::Error);
            }
            CHECK(data[499] == 7U);
            try {
                queue.finish();
            } catch (const ferry::Error&) { // thrown by the copy
            }
        }
    }
}

} // namespace share_order_test
