// SPDX-License-Identifier: Apache-2.0
// Objects of the parent that end in a child process.
#include "host/host_exit.hpp"
#include "share/share_state.hpp"
#include "system/thread.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace {

using Word = std::uint32_t;
constexpr std::size_t count = 100;

std::atomic<bool> go_on{false};
void wait_and_add(const ferry::HostGroup&, Word* words) {
    go_on.wait(false);
    for (std::size_t i = 0; i < count; ++i) {
        ++words[i];
    }
}
void let_go_on() {
    go_on = true;
    go_on.notify_all();
}
std::atomic<int> marks{0};
void mark(const ferry::HostGroup&) {
    ++marks;
}
constexpr ferry::HostKernel functions[] = {ferry::host_kernel<wait_and_add>("add"),
                                           ferry::host_kernel<mark>("mark")};

/// Whether the child reaches the end of `body`. A lock held by another thread at the fork is never released
/// there.
bool ends_in_child(const std::function<bool()>& body) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(body() ? 33 : 34);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 33;
}

/// In a child process that ends by exit(), this object is destroyed after Ferry's exit handlers.
struct Last {
    ferry::Queue* queue = nullptr;
    bool in_child = false;
    ~Last() {
        for (int i = 0; queue != nullptr && i < 3; ++i) {
            try {
                queue->finish();
            } catch (const ferry::Error&) { // the process is ending
            }
        }
        if (in_child) {
            _exit(33);
        }
    }
};
constinit Last last;

/// Whether the child reaches the end of its process. A static object finishes `queue` there. No leaks may be
/// reported, because the buffers belong to the parent.
bool exits_in_child(ferry::Queue& queue, const std::function<bool()>& body) {
    std::array<int, 2> ends{};
    std::fflush(nullptr);
    REQUIRE(pipe(ends.data()) == 0);
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        dup2(ends[1], STDERR_FILENO);
        close(ends[1]);
        if (!body()) {
            _exit(34);
        }
        last.in_child = true;
        last.queue = &queue;
        std::exit(35);
    }
    close(ends[1]);
    std::string told;
    std::array<char, 256> part{};
    for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;) {
        told.append(part.data(), static_cast<std::size_t>(got));
    }
    close(ends[0]);
    CHECK_MESSAGE(told.find("never destroyed") == std::string::npos, told);
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
    ferry::Buffer<Word> mapped_too{device, count};
    auto mapping = std::optional(mapped->map(*queue, ferry::Map::write));
    auto second = std::optional(mapped_too.map(*queue, ferry::Map::read));
    queue->fill(*buffer, 1U);
    queue->launch(kernel, {1, 1}, *buffer);
    CHECK(ends_in_child([&] {
        const bool unmapped = !refused([&] { mapping->unmap(); });
        mapping->unmap(); // does nothing, as after any first unmap()
        mapping.reset();
        second.reset();
        mapped.reset();
        buffer.reset();
        queue.reset();
        return !unmapped;
    }));
    mapping.reset();
    second.reset();
    let_go_on();
    CHECK(queue->read(*buffer) == std::vector<Word>(count, 2));
}

TEST_CASE("fork: an event that outlives its queue ends in a child") {
    const ferry::Device device = ferry::find_device("host");
    std::optional<ferry::Queue> queue{device};
    ferry::Buffer<Word> buffer{device, count};
    queue->fill(buffer, 1U);
    std::optional<ferry::Event> event = queue->record();
    const std::weak_ptr<ferry::detail::QueueState> state = queue->handle();
    queue.reset();
    CHECK(ends_in_child([&] {
        event.reset();
        return !state.expired(); // the end of it belongs to the parent
    }));
    CHECK(event->ready());
    event.reset();
    CHECK(state.expired());
}

TEST_CASE("fork: a child gets an error that queues, buffers and events belong to its parent") {
    const ferry::Device device = ferry::find_device("host");
    ferry::Queue queue{device};
    ferry::Buffer<Word> buffer{device, count};
    queue.fill(buffer, 1U);
    const ferry::Event event = queue.record();
    event.wait();
    std::vector<Word> words(count);
    CHECK(ends_in_child([&] {
        bool all = refused([&] { queue.fill(buffer, 2U); }) && refused([&] { queue.finish(); }) &&
                   refused([&] { queue.record(); }) && refused([&] { event.wait(); }) &&
                   refused([&] { static_cast<void>(event.ready()); });
#ifndef __SANITIZE_THREAD__ // which lets no child start threads
        ferry::Queue own{device};
        all = all && refused([&] { own.fill(buffer, 2U); }) && refused([&] { own.wait(event); }) &&
              refused([&] { static_cast<void>(own.read(buffer)); });
#endif
        return all;
    }));
    CHECK(queue.read(buffer) == std::vector<Word>(count, 1));
}

#ifndef __SANITIZE_THREAD__ // which lets no child start threads
TEST_CASE("fork: a parent's buffer is refused in a child also after the end of its queue") {
    const ferry::Device device = ferry::find_device("host");
    ferry::Buffer<Word> buffer{device, count};
    {
        ferry::Queue queue{device};
        queue.fill(buffer, 1U);
        queue.finish();
    }
    CHECK(ends_in_child([&] {
        ferry::Queue own{device};
        return refused([&] { own.fill(buffer, 2U); }) &&
               refused([&] { static_cast<void>(own.read(buffer)); });
    }));
    ferry::Queue queue{device};
    CHECK(queue.read(buffer) == std::vector<Word>(count, 1));
}
#endif

TEST_CASE("fork: a child leaves by exit() while the parent has a queue") {
    const ferry::Device device = ferry::find_device("host");
    ferry::Queue queue{device};
    ferry::Buffer<Word> buffer{device, count};
    queue.fill(buffer, 1U);
    queue.finish();
    CHECK(exits_in_child(queue, [] { return true; }));
    CHECK(queue.read(buffer) == std::vector<Word>(count, 1));
}

#ifndef __SANITIZE_THREAD__ // which lets no child start threads
TEST_CASE("fork: a child with its own queue ends by exit() while the parent's is busy") {
    go_on = false;
    const ferry::Device device = ferry::find_device("host");
    const ferry::Program program{device, ferry::Source::host(functions)};
    const ferry::Kernel kernel = program.kernel("add"), marking = program.kernel("mark");
    ferry::Buffer<Word> buffer{device, count};
    ferry::Queue queue{device};
    queue.fill(buffer, 1U);
    queue.launch(kernel, {1, 1}, buffer);
    std::optional<ferry::Queue> own;
    CHECK(exits_in_child(queue, [&] {
        own.emplace(device);
        own->launch(marking, {7, 1});
        own->finish();
        return marks == 7;
    }));
    let_go_on();
    CHECK(queue.read(buffer) == std::vector<Word>(count, 2));
}

TEST_CASE("fork: a child does its own work on the host, with FERRY_MEMORY_DEBUG too") {
    for (const char* const debug : {"off", "on"}) {
        CAPTURE(debug);
        CHECK(ends_in_child([&] {
            setenv("FERRY_MEMORY_DEBUG", debug, 1);
            const ferry::Device device = ferry::find_device("host");
            constexpr std::size_t many = 3'000'001;
            const auto work = [&](Word value) {
                ferry::Queue queue{device};
                ferry::Buffer<Word> buffer{device, many}, copy{device, many};
                const bool filled = queue.read(copy)[many - 1] == 0xcdcdcdcd;
                const std::vector<Word> words(many, value);
                queue.copy(words, buffer);
                queue.copy(buffer, copy);
                marks = 0;
                queue.launch(ferry::Program{device, ferry::Source::host(functions)}.kernel("mark"),
                             {5000, 1});
                return queue.read(copy) == words && marks == 5000 && (filled || debug[1] == 'f');
            };
            return work(1) && ends_in_child([&] { return work(2); }) && work(3);
        }));
    }
}

TEST_CASE("fork: a child does not wait at its end for kernels that its parent runs") {
    go_on = false;
    const ferry::Device device = ferry::find_device("host");
    ferry::Buffer<Word> buffer{device, count};
    ferry::Queue queue{device};
    queue.fill(buffer, 1U);
    queue.finish();
    queue.launch(ferry::Program{device, ferry::Source::host(functions)}.kernel("add"), {1, 1}, buffer);
    while (ferry::host::in_hand_elsewhere() == 0) {
        std::this_thread::yield();
    }
    CHECK(ends_in_child([] { return ferry::host::in_hand_elsewhere() == 0; }));
    let_go_on();
    queue.finish();
}

// Fails in the build with AddressSanitizer if fork() does not wait for threads that start: its allocator (GCC
// 12) keeps its locks in the child.
TEST_CASE("fork: a child can allocate memory, although its parent has just started threads") {
    for (int round = 0; round < 100; ++round) {
        std::atomic<bool> ended{false};
        std::array<ferry::detail::Thread, 3> threads;
        for (ferry::detail::Thread& thread : threads) {
            thread = ferry::detail::Thread("test", [&ended] { ended.wait(false); });
        }
        CHECK(ends_in_child([] {
            std::vector<std::vector<char>> kept;
            for (std::size_t size = 1; size < 5000; size += 7) {
                kept.emplace_back(size);
            }
            return kept.back().back() == 0;
        }));
        ended = true;
        ended.notify_all();
        for (ferry::detail::Thread& thread : threads) {
            thread.join();
        }
    }
}
#endif
