// SPDX-License-Identifier: Apache-2.0
// Commands that use the memory of a share directly, instead of the share.
#include "share/share_checks.hpp"
#include "share/share_state.hpp"
#include "watched.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace share_direct_use_test {
namespace {

using namespace std::chrono_literals;
using Word = std::uint32_t;
constexpr std::size_t count = 100;

void add(const ferry::HostGroup&, Word* to, const Word* from) {
    for (std::size_t i = 0; i < count; ++i) {
        to[i] += from[i];
    }
}
constexpr ferry::HostKernel functions[] = {ferry::host_kernel<add>("add")};

/// A shared buffer's memory and a shared vector. The device has copies of both.
struct Scene {
    std::span<Word> filled() {
        for (std::size_t i = 0; i < count; ++i) {
            beneath.span()[i] = static_cast<Word>(7 * i);
        }
        return beneath.span();
    }
    void launch(const auto& to, const auto& from) { queue.launch(kernel, {1, 1}, to, from); }

    const Watched watched;
    const ferry::Device device = ferry::find_device("host");
    ferry::Queue queue{device};
    const ferry::Program program{device, ferry::Source::host(functions)};
    const ferry::Kernel kernel = program.kernel("add");
    const ferry::ShareOptions copied{.allowed = {ferry::Placement::stage}};
    std::vector<Word> words = std::vector<Word>(count, 3);
    ferry::Buffer<Word> beneath{device, count, ferry::MemoryKind::host};
    ferry::Shared<Word> shared = share(device, filled(), ferry::Access::device_updates, copied);
    ferry::Shared<Word> other = share(device, std::span(words), ferry::Access::device_updates, copied);
};

template <class Call>
std::string refusal_of(Call call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        CHECK(error.code() == ferry::Code::invalid_state);
        return error.what();
    }
    return "";
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The kernel's state of a thread: 'S' while it waits.
char state_of(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const auto name = line.rfind(") ");
    return name == std::string::npos ? '?' : line[name + 2];
}

} // namespace

TEST_CASE("direct use of shared memory: a buffer in one launch with another share is checked") {
    Scene s;
    const std::string writes = refusal_of([&] { s.launch(s.beneath, s.other); });
    CAPTURE(writes);
    CHECK(holds(writes, "launch of kernel 'add' writes bytes 0 to 400 of the shared memory"));
    CHECK(holds(writes, "past its share"));
    // 3 + 7i: the host has the newest values
    CHECK(refusal_of([&] { s.launch(s.other, s.beneath); }).empty());
    s.launch(s.shared, s.other); // 3 + 14i, on the device
    const std::string reads = refusal_of([&] { s.launch(s.other, s.beneath.subview(10, 5)); });
    CAPTURE(reads);
    CHECK(holds(reads, "launch of kernel 'add' reads bytes 40 to 60 of the shared memory"));
    CHECK(holds(reads, "the latest of them are elsewhere"));
    {
        const auto guard = s.shared.host(s.queue);
        CHECK(refusal_of([&] { s.launch(s.other, s.beneath); }).empty()); // 6 + 21i
        s.queue.finish();
    }
    const auto guard = s.other.host(s.queue);
    for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(guard.span()[i] == 6 + 21 * i);
    }
}

TEST_CASE("direct use of shared memory: a view of a buffer that was destroyed, in one launch with a share") {
    Scene s;
    ferry::View<const Word> view;
    {
        const ferry::Buffer<Word> gone{s.device, count, ferry::MemoryKind::host};
        view = gone;
    }
    CHECK(holds(refusal_of([&] { s.launch(s.other, view); }), "which has been destroyed"));
}

TEST_CASE(
    "direct use of shared memory: files are read into the memory, and written from it, past the share") {
    Scene s;
    s.launch(s.shared, s.other); // the device has the newest values
    const std::string writes =
        refusal_of([&] { ferry::write_file(s.queue, s.beneath, "/dev/null", {.offset = 0}); });
    CAPTURE(writes);
    CHECK(holds(writes, "write_file of 400 bytes reads bytes 0 to 400 of the shared memory"));
    const std::string reads = refusal_of([&] { ferry::read_file(s.queue, "/proc/self/exe", s.beneath); });
    CAPTURE(reads);
    CHECK(holds(reads, "read_file of 400 bytes writes bytes 0 to 400 of the shared memory"));
    const auto guard = s.shared.host(s.queue);
    for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(guard.span()[i] == 3 + 7 * i);
    }
}

TEST_CASE("direct use of shared memory: a wait for one share does not delay another") {
    std::vector<Word> words(count), others(count);
    const auto span = ferry::detail::join_span(words.data(), count * sizeof(Word), 1, {});
    std::unique_lock busy(span->mutex);
    std::atomic<pid_t> thread{0};
    std::thread looks([&] {
        thread = gettid();
        const auto begin = reinterpret_cast<std::uintptr_t>(words.data());
        ferry::detail::check_direct_use("copy", begin, begin + sizeof(Word), true, {});
    });
    while (thread == 0 || state_of(thread) != 'S') {
        std::this_thread::sleep_for(1ms);
    }
    auto joins = std::async(std::launch::async, [&] {
        return ferry::detail::join_span(others.data(), count * sizeof(Word), 1, {}) != nullptr;
    });
    CHECK(joins.wait_for(60s) == std::future_status::ready); // a time limit for the case of failure
    busy.unlock();
    CHECK(joins.get());
    looks.join();
}

} // namespace share_direct_use_test
