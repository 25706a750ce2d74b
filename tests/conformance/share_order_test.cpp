// SPDX-License-Identifier: Apache-2.0
// Shares whose commands are held back or fail at the moment that matters.
#include "check.hpp"
#include "devices.hpp"
#include "hip_double.hpp"
#include "kernels.hpp"
#include "random.hpp"

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

using namespace conformance;
using ferry::Access;
using ferry::Code;
using ferry::HostAccess;
using ferry::Placement;

namespace {

using Words = std::vector<std::uint32_t>;

/// Holds the commands behind it on a queue of a host device until it is opened, at the latest by its end,
/// which must come before that of the queues.
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
    /// The same for a command that uses what is shared.
    template <class S>
    void hold(ferry::Queue& queue, const S& shared) {
        queue.launch(program_.kernel("hold_with"), {1, 1}, reinterpret_cast<std::uintptr_t>(this), shared);
        ++held_;
    }
    void open() {
        open_ = 1;
        open_.notify_all();
    }

    /// A command that uses what is shared and fails.
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

template <class S>
void add(ferry::Queue& queue, const S& shared, std::size_t size, std::uint32_t value) {
    queue.launch(kernel(queue.device(), "add"), ferry::Grid::covering(size, 32), shared,
                 static_cast<std::uint32_t>(size), value);
}

void add_to(std::span<std::uint32_t> part, std::uint32_t value) {
    std::for_each(part.begin(), part.end(), [&](std::uint32_t& v) { v += value; });
}

/// A share of 64 words with two versions, and a thread that asks for a guard on the first 16, which gets a
/// fresh version and waits for the gates. What it writes is 1000, 1001, ...
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
        gate.hold(held); // so that the copy of the next ones keeps the host's version in use
        add(held, shared.part(32, 16), 16, 5);
        add_to(std::span(model).subspan(32, 16), 5);
        writer = std::thread([this] {
            const auto guard = shared.host_part(queue, HostAccess::read_write, 0, 16);
            same = std::equal(guard.begin(), guard.end(), model.begin());
            for (std::uint32_t i = 0; i < 16; ++i) {
                guard[i] = 1000 + i;
            }
        });
        while (shared.explain().bytes_down != 128) { // what it waits for
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

FERRY_TEST("share order: on the host, what is launched while a guard waits for a fresh version stays") {
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
    std::optional<ferry::Shared<std::uint32_t>> shared;
    Words data = random_values<std::uint32_t>(64);
    Words model = data;
    try {
        shared = ferry::share(device, data, Access::device_updates,
                              {.allowed = Placement::alias, .versions = 2});
    } catch (const ferry::Error& error) { // the strict device
        CHECK(error.code() == Code::unsupported);
        return;
    }
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
    // The guard waits for the second gate now, and an answer before it opens would be wrong. When that would
    // come nobody knows; a while is given to it.
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
