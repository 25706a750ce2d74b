// SPDX-License-Identifier: Apache-2.0
// What ends in a child process, of all that the parent has.
#include "share/share_state.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace {

using Word = std::uint32_t;
constexpr std::size_t count = 100;

std::atomic<bool> go_on{false};
void wait_and_add(const ferry::HostGroup&, Word* words) {
    while (!go_on) {
    }
    for (std::size_t i = 0; i < count; ++i) {
        ++words[i];
    }
}
constexpr ferry::HostKernel functions[] = {ferry::host_kernel<wait_and_add>("add")};

/// Whether the child comes to the end of it. A lock that another thread held here is held for ever there.
bool ends_in_child(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(body() ? 33 : 34);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 33;
}

bool refused(const std::function<void()>& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        return error.code() == ferry::Code::invalid_state &&
               std::string(error.what()).find("before fork()") != std::string::npos;
    }
    return false;
}

} // namespace

TEST_CASE("fork: a guard ends in a child while another thread has the share") {
    const ferry::Device device = ferry::find_device("host");
    ferry::Queue queue{device};
    std::vector<Word> words(count, 1), others(count, 2);
    auto shared = share(device, std::span(words), ferry::Access::device_updates);
    auto other = share(device, std::span(others), ferry::Access::device_updates);
    auto guard = shared.host(queue, ferry::HostAccess::read_write);
    auto assigned = other.host(queue, ferry::HostAccess::read_write);
    const auto span = ferry::detail::join_span(words.data(), count * sizeof(Word), 1, {});
    {
        const std::lock_guard busy(span->mutex);
        CHECK(ends_in_child([&] {
            const bool explained = !refused([&] { static_cast<void>(shared.explain()); });
            const bool seen = guard.span()[7] == 1;
            guard = std::move(assigned);
            guard.release();
            return seen && !explained && guard.size() == 0;
        }));
    }
    guard.span()[7] = 5;
    guard.release();
    assigned.release();
    shared.end();
    other.end();
    CHECK(words[7] == 5);
}

TEST_CASE("fork: a queue and a mapping end in a child while the queue is busy in the parent") {
    const ferry::Device device = ferry::find_device("host");
    std::optional<ferry::Queue> queue{device};
    const ferry::Kernel kernel = ferry::Program{device, ferry::Source::host(functions)}.kernel("add");
    std::optional<ferry::Buffer<Word>> buffer{std::in_place, device, count},
        mapped{std::in_place, device, count};
    auto mapping = std::optional(mapped->map(*queue, ferry::Map::write));
    queue->fill(*buffer, 1U);
    queue->launch(kernel, {1, 1}, *buffer);
    CHECK(ends_in_child([&] {
        mapping.reset();
        mapped.reset();
        buffer.reset();
        queue.reset();
        return true;
    }));
    mapping.reset();
    go_on = true;
    CHECK(queue->read(*buffer) == std::vector<Word>(count, 2));
}
