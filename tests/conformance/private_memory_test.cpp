// SPDX-License-Identifier: Apache-2.0
// Kernels with more private memory than the default stack of a thread. They run on the host device; other
// devices may refuse them.
#include "../support/child.hpp"
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace private_memory_test {

using namespace conformance;

namespace {

bool is_host(const ferry::Device& device) {
    return device.info().backend == ferry::Backend::host;
}

// A function that is not inlined has its own array, in addition to the kernel's array.
std::string text(std::size_t count, bool barrier) {
    return "#define N " + std::to_string(count) + R"(
float last(float from, int step) {
    float b[N];
    for (int i = 0; i < N; ++i) b[i] = from + (float)(i % 1000) * (float)step;
    return b[(step * 37) % N] + b[N - 1];
}
kernel void k(global float* out, int step) {
    float a[N];
    for (int i = 0; i < N; ++i) a[i] = (float)(i % 1000) * (float)step + (float)get_local_id(0);
)" + (barrier ? "    barrier(CLK_LOCAL_MEM_FENCE);\n" : "") +
           R"(    out[get_global_id(0)] = a[(step * 37) % N] + a[N - 1] + last(a[step % N], step);
})";
}

float wanted(std::size_t count, int step, std::size_t item) {
    const auto value = [&](std::size_t i) { return static_cast<float>(i % 1000) * static_cast<float>(step); };
    const auto middle = value(static_cast<std::size_t>(step) * 37 % count);
    const float local = static_cast<float>(item);
    const float from = value(static_cast<std::size_t>(step) % count) + local;
    return (middle + local) + (value(count - 1) + local) + ((from + middle) + (from + value(count - 1)));
}

/// Two arrays of floats for each work-item.
void check_runs(const ferry::Device& device, std::size_t count, std::size_t items, bool barrier) {
    CAPTURE(count);
    CAPTURE(items);
    CAPTURE(barrier);
    const int step = 1 + static_cast<int>(random_below(7)); // keeps sums at whole numbers below 2^24
    const ferry::Program program(device, text(count, barrier));
    constexpr std::size_t groups = 5;
    ferry::Buffer<float> out(device, groups * items);
    ferry::Queue queue(device);
    queue.fill(out, -1.0F);
    queue.launch(program.kernel("k"), {.groups = {groups}, .local = {items}}, out, step);
    const std::vector<float> result = queue.read(out);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        wrong += result[i] == wanted(count, step, i % items) ? 0U : 1U;
    }
    CHECK(wrong == 0);
}

bool has_small_stacks(const ferry::Device& device) {
    const std::string& platform = device.info().platform;
    return platform.find("Portable Computing Language") != std::string::npos ||
           platform.find("rusticl") != std::string::npos;
}

// The stack sizes of a program started under `ulimit -s 64`, and a calling thread with the smallest stack.
const support::ChildBody small("small stacks", [](const std::string& device) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{64} << 10U);
    pthread_setattr_default_np(&attributes);
    ferry::configure({.backend = "host"});
    const ferry::Device host = ferry::find_device(device);
    const ferry::Program program(host, text(1'000'003, false));
    struct Call {
        const ferry::Device* device;
        const ferry::Program* program;
        bool right = false;
    } call{&host, &program};
    static const std::size_t items = 3;
    pthread_t thread{};
    const auto body = [](void* given) -> void* {
        Call& c = *static_cast<Call*>(given);
        ferry::Buffer<float> out(*c.device, items);
        ferry::Queue queue(*c.device);
        queue.launch(c.program->kernel("k"), {.groups = {1}, .local = {items}}, out, 3);
        c.right = queue.read(out)[2] == wanted(1'000'003, 3, 2);
        return nullptr;
    };
    if (pthread_create(&thread, &attributes, body, &call) != 0) {
        return 6;
    }
    pthread_join(thread, nullptr);
    return call.right ? 0 : 5;
});

// Memory that the system refuses: the limit of the address space leaves little of it.
const support::ChildBody little("little memory", [](const std::string& device) {
    ferry::configure({.backend = "host"});
    const ferry::Device host = ferry::find_device(device);
    const ferry::Program large(host, text(60'000'000, false));
    const ferry::Program kept(host, text(1'000'000, true));
    ferry::Buffer<float> out(host, 64);
    ferry::Queue queue(host);
    queue.fill(out, 1.0F);
    queue.finish();
    rlimit before{};
    getrlimit(RLIMIT_AS, &before);
    const rlimit limit{std::size_t{1} << 20U, before.rlim_max};
    setrlimit(RLIMIT_AS, &limit); // below the memory in use, so that no more can be allocated
    const auto refusal = [&](const ferry::Program& program) {
        try {
            queue.launch(program.kernel("k"), {.groups = {1}, .local = {64}}, out, 1);
            queue.finish();
            std::puts("ran");
        } catch (const ferry::Error& error) {
            std::puts(error.what());
        }
    };
    refusal(large);
    refusal(kept);
    setrlimit(RLIMIT_AS, &before);
    queue.fill(out, 2.0F); // the queue continues
    return queue.read(out)[63] == 2.0F ? 0 : 5;
});

} // namespace

FERRY_TEST("private memory: kernels with arrays larger than a stack run on the host") {
    if (!is_host(device)) {
        return; // the driver has its own limit, which some drivers do not check
    }
    for (const std::size_t count : {std::size_t{1'000}, std::size_t{900'001}, std::size_t{3'000'017}}) {
        check_runs(device, count, 1, false);
        check_runs(device, count, 7, false);
        check_runs(device, count, 7, true);
    }
}

FERRY_TEST("private memory: an OpenCL processor device runs a kernel or refuses it with the sizes") {
    if (device.info().backend != ferry::Backend::opencl || device.info().kind != ferry::DeviceKind::cpu) {
        return;
    }
    for (const std::size_t items : {1U, 7U}) {
        for (const bool barrier : {false, true}) {
            check_runs(device, 1'000, items, barrier);
            check_runs(device, 30'011, items, barrier); // llvmpipe ends loops after 65,535 turns
            if (has_small_stacks(device)) {
                const auto error = error_of([&] { check_runs(device, 3'000'017, items, barrier); });
                REQUIRE(error);
                CHECK(error->code() == ferry::Code::invalid_argument);
                const std::string message = error->what();
                for (const std::string& part :
                     {std::string("each needs 24000136 bytes of private memory, the most for 'a', and a "),
                      std::string("has a stack for "), std::string("this kernel takes none"),
                      "a group has " + std::to_string(items) + " work-items"}) {
                    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
                }
            } else {
                check_runs(device, 3'000'017, items, barrier);
            }
        }
    }
}

FERRY_TEST("private memory: the group that a launch chooses has room for it") {
    constexpr std::size_t count = 8'192;
    constexpr std::size_t items = 1'000;
    const ferry::Program program(device, text(count, false));
    const ferry::Kernel kernel = program.kernel("k");
    const std::size_t group = kernel.covering(items).local.x;
    if (device.info().platform.find("Portable Computing Language") != std::string::npos) {
        const ferry::Buffer<float> out(device, 1);
        CHECK(group <= 128); // each item needs 64 KiB of a stack of 8 MiB
        expect_error(ferry::Code::invalid_argument,
                     {"each needs 65536 bytes of private memory", "takes at most 12"}, [&] {
                         ferry::Queue queue(device);
                         queue.launch(kernel, {.groups = {1}, .local = {1'024}}, out, 1);
                     });
    }
    check_runs(device, count, group, false);
}

FERRY_TEST("private memory: kernels with large arrays run in programs with small stacks") {
    if (is_host(device)) {
        const support::ChildResult result =
            support::run({.arguments = {"--child=small stacks|" + device.id()}, .environment = {}});
        CHECK_MESSAGE(result.exited(0), result.describe());
    }
}

FERRY_TEST("private memory: what the system does not give is an error with its size") {
    if (is_host(device)) {
        const support::ChildResult result =
            support::run({.arguments = {"--child=little memory|" + device.id()}, .environment = {}});
        CHECK_MESSAGE(result.exited(0), result.describe());
        for (const char* const words :
             {"bytes of stack for its private variables", "work-items needs 256000000 bytes"}) {
            CHECK_MESSAGE(result.says(words), result.describe());
        }
    }
}

} // namespace private_memory_test
