// SPDX-License-Identifier: Apache-2.0
// State set by the program: signals, and the floating-point environment of its threads.
#include "../support/child.hpp"
#include "../support/child_signal.hpp"
#include "../support/float_mode.hpp"
#include "check.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace conformance;

namespace {

// 0: the program ran with the right result. 4: it was refused with the reason.
int build_and_run(const ferry::Device& device, const std::string& mode) {
    const child_signal::Treated treated(mode);
    const int number = static_cast<int>(std::random_device()() % 1'000'000);
    try {
        const ferry::Program program(device, "kernel void k(global int* a) { a[get_global_id(0)] = " +
                                                 std::to_string(number) + " + (int)get_local_id(0); }");
        ferry::Buffer<int> out(device, 37);
        ferry::Queue queue(device);
        queue.launch(program.kernel("k"), {.groups = {1}, .local = {37}}, out);
        const std::vector<int> result = queue.read(out);
        static_cast<void>(device.capabilities(ferry::MemoryKind::device));
        return result[36] == number + 36 ? 0 : 5;
    } catch (const ferry::Error& error) {
        std::puts(error.what());
        const bool says = std::string(error.what()).find("SIGCHLD") != std::string::npos;
        return says && device.info().backend != ferry::Backend::host ? 4 : 6;
    }
}

const ChildRegistration ignored("SIGCHLD ignored", [](const ferry::Device& device) {
    const int status = build_and_run(device, "ignored");
    return status == 4 ? 0 : status;
});
const ChildRegistration no_zombies("SIGCHLD with SA_NOCLDWAIT", [](const ferry::Device& device) {
    const int status = build_and_run(device, "no zombies");
    return status == 4 ? 0 : status;
});
const ChildRegistration reaped("children reaped by a handler",
                               [](const ferry::Device& device) { return build_and_run(device, "reaped"); });

using Bits = std::vector<std::uint32_t>;

constexpr std::size_t sums = 300'007;

// Pairs of floats. Their sums show the rounding direction, and every fifth one shows whether subnormal
// numbers are kept.
Bits addends() {
    Bits bits(2 * sums);
    for (std::size_t i = 0; i < sums; ++i) {
        const bool subnormal = i % 5 == 0;
        bits[2 * i] = subnormal ? static_cast<std::uint32_t>(1 + random_below(1 << 20U))
                                : std::bit_cast<std::uint32_t>(1.0F + static_cast<float>(random_below(1000)));
        bits[2 * i + 1] = subnormal ? static_cast<std::uint32_t>(1 + random_below(1 << 20U))
                                    : std::bit_cast<std::uint32_t>(1e-9F);
    }
    return bits;
}

Bits sums_of(const ferry::Device& device, const Bits& of) {
    std::optional<ferry::Queue> first;
    if (random_below(2) == 1) { // The driver makes its threads for the program, or for the queue.
        first.emplace(device);
    }
    const ferry::Program program(
        device, "kernel void add(global const uint* of, global uint* sums, uint n) {"
                " uint i = get_global_id(0);"
                " if (i < n) sums[i] = as_uint(as_float(of[2 * i]) + as_float(of[2 * i + 1]));"
                " }");
    ferry::Queue queue(device);
    ferry::Buffer<std::uint32_t> from(device, of.size());
    ferry::Buffer<std::uint32_t> to(device, sums);
    queue.copy(of, from);
    queue.launch(program.kernel("add"), ferry::Grid::covering(sums, 64), from, to,
                 static_cast<std::uint32_t>(sums));
    return queue.read(to);
}

/// Whether each sum is that of the default environment. Subnormal sums may be flushed, but then all of them.
bool are_default(const Bits& of, const Bits& result) {
    std::size_t flushed = 0;
    std::size_t subnormal = 0;
    for (std::size_t i = 0; i < sums; ++i) {
        if (i % 5 != 0) {
            if (result[i] != of[2 * i]) { // the addend is less than half of the last place
                return false;
            }
            continue;
        }
        ++subnormal;
        flushed += result[i] == 0 ? 1U : 0U;
        if (result[i] != 0 && result[i] != of[2 * i] + of[2 * i + 1]) {
            return false;
        }
    }
    return flushed == 0 || flushed == subnormal;
}

bool right_in(const std::string& mode, const ferry::Device& device) {
    const Bits of = addends();
    const float_mode::State before = float_mode::state();
    const bool right = are_default(of, sums_of(device, of));
    float_mode::set("none");
    return right && float_mode::state() == before && (mode == "none" || before != float_mode::State{});
}

// The mode is set before the backend is opened.
const support::ChildBody from_the_start("a mode from the start", [](const std::string& argument) {
    const std::size_t bar = argument.find('|');
    const std::string mode = argument.substr(0, bar);
    const std::string device = argument.substr(bar + 1);
    float_mode::set(mode);
    ferry::configure({.backend = device.substr(0, device.find(':'))});
    return right_in(mode, ferry::find_device(device)) ? 0 : 5;
});

// Compilers of GPU drivers and their libraries compute on the calling thread, where the traps apply.
bool bears(const ferry::Device& device, const std::string& mode) {
    return mode != "trap" || device.info().backend == ferry::Backend::host;
}

void round_down(const ferry::HostGroup&) {
    std::fesetround(FE_DOWNWARD);
}

} // namespace

FERRY_TEST("process: a program builds, or an error names SIGCHLD, if the status of children is lost") {
    check_child("SIGCHLD ignored", device, 0);
    check_child("SIGCHLD with SA_NOCLDWAIT", device, 0);
}

FERRY_TEST("process: a program builds if a handler reaps all children") {
    check_child("children reaped by a handler", device, 0);
}

FERRY_TEST("process: kernels round in one way, whatever mode the calling thread is in, and leave that mode") {
    for (const std::string& mode : float_mode::modes()) {
        if (!bears(device, mode)) {
            continue;
        }
        CAPTURE(mode);
        bool right = false;
        std::thread([&] {
            float_mode::set(mode);
            right = right_in(mode, device);
        }).join();
        CHECK(right);
    }
}

FERRY_TEST("process: kernels round in one way if the program changed the mode before its first call") {
    for (const std::string& mode : float_mode::modes()) {
        if (!bears(device, mode)) {
            continue;
        }
        const support::ChildResult result = support::run(
            {.arguments = {"--child=a mode from the start|" + mode + "|" + device.id()}, .environment = {}});
        CHECK_MESSAGE(result.exited(0), mode, ": ", result.describe());
    }
}

FERRY_TEST("process: callbacks run in the default floating-point mode") {
    float_mode::State fresh;
    std::thread([&fresh] { fresh = float_mode::state(); }).join();
    std::vector<float_mode::State> seen;
    std::thread([&] {
        float_mode::set("toward zero");
        ferry::Queue queue(device);
        for (int i = 0; i < 3; ++i) {
            queue.on_complete([&seen](const ferry::Status&) {
                seen.push_back(float_mode::state());
                float_mode::set("flush");
                float_mode::set("upward");
            });
        }
        queue.finish();
    }).join();
    CHECK(seen == std::vector<float_mode::State>(3, fresh));
}

FERRY_TEST(
    "process: a function of the program that changes the rounding mode does not change later kernels") {
    if (device.info().backend != ferry::Backend::host) {
        return; // the device runs functions of the program
    }
    const std::vector<ferry::HostKernel> table{ferry::host_kernel<round_down>("round_down")};
    const ferry::Program program(device, ferry::Source::host(table));
    ferry::Queue queue(device);
    queue.launch(program.kernel("round_down"), {.groups = {5003}, .local = {1}});
    queue.finish();
    const Bits of = addends();
    Bits negated = of; // these values show rounding down
    for (std::uint32_t& one : negated) {
        one ^= 0x80000000U;
    }
    CHECK(are_default(of, sums_of(device, of)));
    const Bits result = sums_of(device, negated);
    bool right = true;
    for (std::size_t i = 0; i < sums; ++i) {
        right = right && (i % 5 == 0 || result[i] == negated[2 * i]);
    }
    CHECK(right);
}
