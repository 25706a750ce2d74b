// SPDX-License-Identifier: Apache-2.0
// What the process around the library has set: signals.
#include "../support/child_signal.hpp"
#include "children.hpp"
#include "devices.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

using namespace conformance;

namespace {

// 0: it ran and its result is right. 4: it was refused with the reason.
int build_and_run(const ferry::Device& device, const std::string& mode) {
    const child_signal::Treated treated(mode);
    const int number = static_cast<int>(random_below(1'000'000));
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

} // namespace

FERRY_TEST("process: a program builds, or an error names SIGCHLD, where the status of children is lost") {
    check_child("SIGCHLD ignored", device, 0);
    check_child("SIGCHLD with SA_NOCLDWAIT", device, 0);
}

FERRY_TEST("process: a program builds where a handler reaps all children") {
    check_child("children reaped by a handler", device, 0);
}
