// SPDX-License-Identifier: Apache-2.0
// A process in a chroot or a bare container, without /proc, /sys or a working directory.
#include "../support/child.hpp"
#include "../support/without.hpp"
#include "base/processor.hpp"
#include "system/machine.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int not_allowed = 3;

int use_the_host() {
    ferry::configure({.backend = "host"});
    const ferry::Device device = ferry::default_device();
    const int number = static_cast<int>(std::random_device()() % 1'000'000);
    const ferry::Program program(device, "kernel void k(global int* a) { a[get_global_id(0)] = " +
                                             std::to_string(number) + " + (int)get_global_id(0); }");
    const std::size_t count =
        (std::size_t{70} << 20U) / sizeof(int); // large enough for the library to check free memory
    ferry::Buffer<int> out(device, count);
    ferry::Queue queue(device);
    queue.launch(program.kernel("k"), {.groups = {count / 64}, .local = {64}}, out);
    const bool right = queue.read(out)[count - 1] == number + static_cast<int>(count) - 1;
    std::vector<int> own(5003, 1);
    const ferry::Imported<int> imported(device, std::span<int>(own));
    queue.fill(imported.view(), 7);
    queue.finish();
    std::printf("name: %s\ntotal: %llu\n", device.info().name.c_str(),
                static_cast<unsigned long long>(device.info().total_memory));
    return right && own[5002] == 7 ? 0 : 5;
}

const support::ChildBody without("without a folder", [](const std::string& folder) {
    return support::hide(folder) ? use_the_host() : not_allowed;
});

const support::ChildBody nowhere("without a working directory", [](const std::string&) {
    std::string folder = "/tmp/ferry-gone-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr || chdir(folder.c_str()) != 0 || rmdir(folder.c_str()) != 0) {
        return 6;
    }
    return use_the_host();
});

support::ChildResult run(const std::string& folder) {
    support::ChildResult result =
        support::run({.arguments = {"--child=without a folder|" + folder},
                      .environment = {{"ASAN_OPTIONS", "detect_leaks=0"}}}); // leak detection needs /proc
    if (result.exited(not_allowed)) {
        MESSAGE("not tested: this user may not mount an empty folder over " << folder);
    } else {
        CHECK_MESSAGE(result.exited(0), result.describe());
    }
    return result;
}

} // namespace

TEST_CASE("host: without /proc the device has its name and its memory, and runs kernels") {
    const support::ChildResult result = run("/proc");
    if (!result.exited(not_allowed)) {
        const std::size_t at = result.output.find("total: ");
        REQUIRE_MESSAGE(at != std::string::npos, result.describe());
        // sysinfo(2) and /proc/meminfo count the same pages. A control group is visible only through /proc.
        CHECK(std::stoull(result.output.substr(at + 7)) >= ferry::host::total_memory());
        CHECK_MESSAGE(result.says("name: " + ferry::host::processor().name), result.describe());
    }
}

TEST_CASE("host: without /sys the device runs kernels") {
    run("/sys");
}

TEST_CASE("host: the device runs kernels after the working directory was removed") {
    const support::ChildResult result =
        support::run({.arguments = {"--child=without a working directory|"}, .environment = {}});
    CHECK_MESSAGE(result.exited(0), result.describe());
}
