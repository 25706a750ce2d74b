// SPDX-License-Identifier: Apache-2.0
// printf in kernels for Vulkan, where Ferry formats the messages. Other drivers print in their own ways.
#include "../support/child.hpp"
#include "corpus.hpp"
#include "printed.cl.hpp"
#include "prints.cl.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace corpus_print_test {

using namespace kernels;
using ferry::Grid;

namespace {

/// Runs `body` with the device in a child process that has the name `name`. The argument is the device and a
/// seed for random data.
std::function<int(const std::string&)> on_device(int (*body)(const ferry::Device&)) {
    return [body](const std::string& argument) {
        const std::string id = argument.substr(0, argument.find(' '));
        conformance::random_engine().seed(std::stoull(argument.substr(argument.find(' '))));
        ferry::configure({.backend = id.substr(0, id.find(':'))});
        return body(ferry::find_device(id));
    };
}

support::ChildResult run(const char* name, const std::string& device, std::uint64_t seed = 0) {
    support::Child child;
    child.arguments = {"--child=" + std::string(name) + "|" + device + " " + std::to_string(seed)};
    child.environment = {{"FERRY_BACKEND", std::nullopt}, {"FERRY_DEVICE", std::nullopt}};
    return support::run(child);
}

/// Numbers of all magnitudes. No float is subnormal, as a device may take it for zero.
int print_everything(const ferry::Device& device) {
    constexpr std::size_t n = 17;
    Corpus c(device, prints_cl);
    std::vector<int> i = conformance::random_values<int>(n);
    std::vector<long> l = conformance::random_values<long>(n);
    std::vector<float> f = conformance::random_values<float>(n);
    std::vector<double> d = conformance::random_values<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
        const auto shift = static_cast<unsigned>(conformance::random_below(31));
        i[k] >>= shift;
        l[k] >>= 2 * shift;
        f[k] = std::fpclassify(f[k]) == FP_NORMAL && k % 3 != 0 ? f[k] : static_cast<float>(i[k]) / 16;
        d[k] = std::fpclassify(d[k]) == FP_NORMAL && k % 3 != 0 ? d[k] : static_cast<double>(l[k]) / 16;
    }
    auto ints = c.in(i);
    auto longs = c.in(l);
    auto floats = c.in(f);
    auto doubles = c.in(d);
    auto chars = c.in(conformance::random_values<char>(8));
    c.run("print_numbers", {1, 1}, ints, longs, floats, static_cast<std::uint32_t>(n));
    if (device.info().fp64) {
        c.run("print_doubles", {1, 1}, doubles, static_cast<std::uint32_t>(n));
    }
    c.run("print_vectors", {1, 1}, chars, ints, longs, floats);
    c.run("print_texts", {1, 1}, ints, std::uint64_t{0x123456789abc});
    static_cast<void>(c.read(ints));
    return 0;
}

const support::ChildBody everything("print_everything", on_device(print_everything));

std::uint32_t launched(int queue, int launch) {
    return static_cast<std::uint32_t>(100 * queue + launch);
}

/// Several threads and queues, with more launches in a row than buffers. Every third is in a recording.
int print_from_threads(const ferry::Device& device) {
    const ferry::Program program{device, prints_cl};
    const ferry::Kernel kernel = program.kernel("print_ids");
    const Grid grid{{3, 1, 2}, {5, 3, 1}};
    std::vector<std::thread> threads;
    for (int q = 0; q < 3; ++q) {
        threads.emplace_back([&, q] {
            ferry::Queue queue{device};
            for (int i = 0; i < 40; ++i) {
                if (i % 3 != 0) {
                    queue.launch(kernel, grid, launched(q, i));
                    continue;
                }
                ferry::Recording recording{
                    device, [&](ferry::Recorder& record) { record.launch(kernel, grid, launched(q, i)); }};
                queue.replay(recording);
            }
            queue.finish();
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return 0;
}

const support::ChildBody from_threads("print_from_threads", on_device(print_from_threads));

/// A recording that is changed, and replayed on two queues.
int print_replays(const ferry::Device& device) {
    const ferry::Program program{device, prints_cl};
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   step = record.launch(program.kernel("print_ids"), {1, 2}, 0U);
                               }};
    ferry::Queue first{device};
    ferry::Queue second{device};
    for (std::uint32_t i = 0; i < 12; ++i) {
        recording.set(step, 0, i);
        first.replay(recording);
        second.replay(recording);
    }
    second.finish();
    first.finish();
    return 0;
}

const support::ChildBody replays("print_replays", on_device(print_replays));

constexpr std::uint32_t chain = 60;

/// Two queues that wait for each other in turn, while another thread looks for the end of launches.
int print_across_queues(const ferry::Device& device) {
    const ferry::Program program{device, prints_cl};
    const ferry::Kernel kernel = program.kernel("print_ids");
    ferry::Queue queues[2] = {ferry::Queue{device}, ferry::Queue{device}};
    std::atomic<bool> ended{false};
    std::thread looks([&] {
        ferry::Queue queue{device};
        while (!ended) {
            static_cast<void>(queue.record().ready());
        }
    });
    for (std::uint32_t i = 0; i < chain; ++i) {
        ferry::Queue& queue = queues[i % 2];
        queue.launch(kernel, {1, 1}, i);
        queues[(i + 1) % 2].wait(queue.record());
    }
    queues[0].finish();
    queues[1].finish();
    ended = true;
    looks.join();
    return 0;
}

const support::ChildBody across_queues("print_across_queues", on_device(print_across_queues));

constexpr std::uint32_t flood = 50'000;

/// More messages than a buffer takes, and then a launch that prints one.
int print_too_much(const ferry::Device& device) {
    Corpus c(device, prints_cl);
    c.run("print_ids", {flood / 5, 5}, 1U);
    auto out = c.out<std::uint32_t>(3);
    c.run("print_if", {3, 1}, out, 2U);
    return c.read(out) == std::vector<std::uint32_t>{1, 2, 3} ? 0 : 1;
}

const support::ChildBody too_much("print_too_much", on_device(print_too_much));

void say(const char* text) {
    std::fputs(text, stdout);
}

/// Each way to learn that a launch is done.
int print_in_order(const ferry::Device& device) {
    Corpus c(device, prints_cl);
    const ferry::Program program{device, prints_cl};
    const ferry::Kernel kernel = program.kernel("print_if");
    ferry::Buffer<std::uint32_t> out{device, 4};
    {
        ferry::Queue queue{device};
        queue.launch(kernel, {4, 1}, out, 0U);
        queue.finish();
        say("finished\n");
        queue.launch(kernel, {4, 1}, out, 1U);
        queue.record().wait();
        say("waited\n");
        queue.launch(kernel, {4, 1}, out, 2U);
        const ferry::Event event = queue.record();
        while (!event.ready()) {
        }
        say("ready\n");
        queue.launch(kernel, {4, 1}, out, 3U);
        static_cast<void>(queue.read(out));
        say("read\n");
        queue.launch(kernel, {4, 1}, out, 0U);
        while (!queue.idle()) {
        }
        say("idle\n");
        queue.launch(kernel, {4, 1}, out, 9U); // It prints nothing.
        queue.launch(kernel, {4, 1}, out, 1U);
    }
    say("destroyed\n");
    std::fflush(stdout);
    const pid_t child = fork(); // It prints nothing again.
    if (child == 0) {
        std::exit(0); // NOLINT(concurrency-mt-unsafe)
    }
    waitpid(child, nullptr, 0);
    static ferry::Queue last{device};
    last.launch(kernel, {4, 1}, out, 2U);
    return 0;
}

const support::ChildBody in_order("print_in_order", on_device(print_in_order));

int print_embedded(const ferry::Device& device) {
    const ferry::Program program{device, printed_cl};
    if (program.language() != ferry::Language::spirv) {
        return 2;
    }
    ferry::Queue queue{device};
    ferry::Buffer<int> out{device, 4};
    queue.launch(program.kernel("printed"), {4, 1}, out);
    return queue.read(out) == std::vector<int>{0, 1, 4, 9} ? 0 : 1;
}

const support::ChildBody embedded("print_embedded", on_device(print_embedded));

using Lines = std::vector<std::string>;

void check_lines(const Lines& seen, const Lines& wanted) {
    CHECK(seen.size() == wanted.size());
    const auto [a, b] = std::mismatch(seen.begin(), seen.end(), wanted.begin(), wanted.end());
    if (a != seen.end() && b != wanted.end()) {
        FAIL_CHECK("line ", a - seen.begin(), " is\n", *a, "\nwhere this was expected:\n", *b);
    }
}

Lines lines(const std::string& text) {
    Lines all;
    std::istringstream from(text);
    for (std::string line; std::getline(from, line);) {
        all.push_back(line);
    }
    return all;
}

/// What a child prints on the device. Empty, with a message, where the driver formats the messages.
std::optional<Lines> printed(const char* name, const ferry::Device& device, std::uint64_t seed = 0) {
    if (device.backend() != ferry::Backend::vulkan) {
        MESSAGE("not tested: the driver of ", device.id(), " has a printf of its own");
        return std::nullopt;
    }
    const support::ChildResult result = run(name, device.id(), seed);
    REQUIRE_MESSAGE(result.exited(0), result.describe());
    return lines(result.output);
}

} // namespace

KERNEL_TEST("corpus: printf: each conversion gives the text of the host device") {
    const std::uint64_t seed = conformance::random_engine()();
    const std::optional<Lines> seen = printed("print_everything", device, seed);
    if (!seen) {
        return;
    }
    const support::ChildResult wanted = run("print_everything", "host:0", seed);
    REQUIRE_MESSAGE(wanted.exited(0), wanted.describe());
    check_lines(*seen, lines(wanted.output));
    CHECK(std::any_of(seen->begin(), seen->end(), [](const std::string& line) {
        return line.find("the result is not negative") != std::string::npos;
    }));
}

KERNEL_TEST("corpus: printf: each work-item of each launch prints once") {
    const std::optional<Lines> all = printed("print_from_threads", device);
    if (!all) {
        return;
    }
    const Lines& seen = *all;
    const std::set<std::string> different(seen.begin(), seen.end());
    CHECK(seen.size() == std::size_t{3} * 40 * 90);
    CHECK(different.size() == seen.size());
    CHECK(different.contains("launch 239, group 2 0 1, item 4 2 0"));
    std::array<std::vector<unsigned long>, 3> order; // The launches of each queue.
    for (const std::string& line : seen) {
        const unsigned long launch = std::stoul(line.substr(std::string("launch ").size()));
        order.at(launch / 100).push_back(launch);
    }
    for (const std::vector<unsigned long>& launches : order) {
        CHECK(std::is_sorted(launches.begin(), launches.end()));
    }
}

KERNEL_TEST("corpus: printf: launches of queues that wait for each other print in their order") {
    const std::optional<Lines> all = printed("print_across_queues", device);
    if (!all) {
        return;
    }
    Lines wanted;
    for (std::uint32_t i = 0; i < chain; ++i) {
        wanted.push_back("launch " + std::to_string(i) + ", group 0 0 0, item 0 0 0");
    }
    check_lines(*all, wanted);
}

KERNEL_TEST("corpus: printf: a recording prints in each replay") {
    const std::optional<Lines> all = printed("print_replays", device);
    if (!all) {
        return;
    }
    Lines seen = *all;
    std::sort(seen.begin(), seen.end());
    Lines wanted;
    for (int i = 0; i < 12; ++i) {
        for (const char* const item : {"0", "0", "1", "1"}) {
            wanted.push_back("launch " + std::to_string(i) + ", group 0 0 0, item " + item + " 0 0");
        }
    }
    std::sort(wanted.begin(), wanted.end());
    check_lines(seen, wanted);
}

KERNEL_TEST("corpus: printf: messages that do not fit are counted") {
    const std::optional<Lines> all = printed("print_too_much", device);
    if (!all) {
        return;
    }
    const Lines& seen = *all;
    constexpr std::size_t fit = ((std::size_t{1} << 20) - 16) / (8 * sizeof(std::uint32_t));
    REQUIRE(seen.size() == fit + 2);
    CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == seen.size());
    CHECK(seen[fit] == "Ferry: the buffer of 1048576 bytes for printf was full in a launch of kernel "
                       "'print_ids'. Lost messages: " +
                           std::to_string(flood - fit));
    CHECK(seen[fit + 1] == "item 2");
}

KERNEL_TEST("corpus: printf: messages are printed before a launch is known to be done") {
    const std::optional<Lines> all = printed("print_in_order", device);
    if (!all) {
        return;
    }
    check_lines(*all, {"item 0", "finished", "item 1", "waited", "item 2", "ready", "item 3", "read",
                       "item 0", "idle", "item 1", "destroyed", "item 2"});
}

KERNEL_TEST("corpus: printf: a module in the program has its formats") {
    const std::optional<Lines> all = printed("print_embedded", device);
    if (!all) {
        return;
    }
    Lines seen = *all;
    std::sort(seen.begin(), seen.end());
    check_lines(seen, {"square of 0: 0", "square of 1: 1", "square of 2: 4", "square of 3: 9"});
}

} // namespace corpus_print_test
