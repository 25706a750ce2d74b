// SPDX-License-Identifier: Apache-2.0
// FERRY_TRACE on every device: runs a workload in this process and reads the trace back.
#include "../support/child.hpp"
#include "trace.cl.hpp"
#include "trace/trace.hpp"
#include "trace_file.hpp"

#include <ferry/ferry.hpp>

#define DOCTEST_CONFIG_IMPLEMENT
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <numeric>
#include <thread>

namespace {

using namespace trace_test;

std::filesystem::path folder;
std::filesystem::path file;
std::filesystem::path partial; ///< contains the trace while this process writes it

constexpr std::uint32_t items = 1024;
const ferry::Grid grid = ferry::Grid::covering(items, 64);

TraceFile read_trace() {
    ferry::trace::flush();
    return TraceFile(partial);
}

std::vector<std::string> names(const std::vector<Slice>& slices) {
    std::vector<std::string> result;
    std::ranges::transform(slices, std::back_inserter(result), &Slice::name);
    return result;
}

/// The name of a copy of ordinary memory in a trace.
std::string copy_name() {
    const char* const staging = std::getenv("FERRY_STAGING");
    return staging != nullptr && staging == std::string_view("on") ? "staged copy" : "copy";
}

template <class Body>
void on_every_device(Body body) {
    for (const ferry::Device& device : ferry::all_devices()) {
        SUBCASE(device.id().c_str()) {
            body(device);
        }
    }
}

/// The rows that `run` adds to the rows of the device.
template <class Run>
std::vector<TraceFile::Row> rows_of(const ferry::Device& device, Run run) {
    const std::size_t before = read_trace().queues(device.id()).size();
    run();
    std::vector<TraceFile::Row> rows = read_trace().queues(device.id());
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(before));
    return rows;
}

} // namespace

TEST_CASE("every command of a queue is there once, in order, with its size, grid and line") {
    on_every_device([](const ferry::Device& device) {
        const ferry::Kernel advance = ferry::Program(device, kernels::trace_cl).kernel("advance");
        std::uint32_t first_line = 0;
        const auto rows = rows_of(device, [&] {
            ferry::Queue queue(device);
            ferry::Buffer<std::uint32_t> data(device, items);
            std::vector<std::uint32_t> host(items, 5);
            first_line = __LINE__ + 1;
            queue.copy(host, data);
            queue.launch(advance, grid, data, items);
            queue.fill(data.first(16), 3);
            queue.mark("half");
            queue.launch(advance, grid, data, items);
            queue.copy(data, host);
            queue.finish();
            CHECK(host[0] == 4);
            CHECK(host[16] == 7);
        });
        REQUIRE(rows.size() == 1);
        const TraceFile trace = read_trace();
        const std::vector<Slice>& slices = commands(trace, rows[0]);
        REQUIRE(names(slices) == std::vector<std::string>{copy_name(), "advance", "fill", "mark half",
                                                          "advance", copy_name()});
        for (std::size_t i = 0; i < slices.size(); ++i) {
            const std::string place = slices[i].arguments.at("enqueued at");
            CHECK(place.ends_with("trace_test.cpp:" + std::to_string(first_line + i)));
            CHECK(slices[i].arguments.contains("device_us") == device.info().timing);
        }
        CHECK(slices[0].arguments.at("bytes") == items * 4);
        CHECK(slices[1].arguments.at("grid") == "16x1x1 groups of 64x1x1");
        CHECK(slices[2].arguments.at("bytes") == 64);
        CHECK(trace.calibrations.at(rows[0]).size() >= 1);
    });
}

TEST_CASE("a kernel is as long in the trace as its events say, and lies between call and wait") {
    on_every_device([](const ferry::Device& device) {
        if (!device.info().timing) {
            return;
        }
        const ferry::Kernel spin = ferry::Program(device, kernels::trace_cl).kernel("spin");
        // Other load may delay the kernel after the event. In at least one of several runs this does not
        // happen.
        bool as_long = false;
        for (int run = 0; run < 20 && !as_long; ++run) {
            std::chrono::nanoseconds took{};
            const auto rows = rows_of(device, [&] {
                ferry::Queue queue(device);
                ferry::Buffer<std::uint32_t> data(device, 1);
                queue.fill(data, 1);
                queue.finish();
                const ferry::Event before = queue.record();
                queue.launch(spin, {1, 1}, data, 4'000'000U);
                const ferry::Event after = queue.record();
                queue.finish();
                took = ferry::elapsed(before, after).value();
            });
            REQUIRE(rows.size() == 1);
            const TraceFile trace = read_trace();
            const Slice& kernel = commands(trace, rows[0]).at(1);
            const double expected = std::chrono::duration<double, std::micro>(took).count();
            const double drawn = kernel.end - kernel.start;
            as_long =
                kernel.arguments.at("device_us").get<double>() == doctest::Approx(expected).epsilon(0.2) &&
                drawn <= expected * 1.2 && drawn >= expected * 0.5;
            const std::vector<Slice>& calls =
                trace.slices.at({getpid(), static_cast<std::uint64_t>(gettid())});
            const auto wait = std::find_if(calls.rbegin(), calls.rend(),
                                           [](const Slice& call) { return call.name == "Queue::finish"; });
            REQUIRE(wait != calls.rend());
            CHECK(kernel.end <= wait->end + 0.01);
        }
        CHECK(as_long);
    });
}

TEST_CASE("queues of several threads that wait for each other") {
    on_every_device([](const ferry::Device& device) {
        constexpr int rounds = 40;
        const ferry::Kernel advance = ferry::Program(device, kernels::trace_cl).kernel("advance");
        const auto rows = rows_of(device, [&] {
            ferry::Queue first(device);
            ferry::Queue second(device);
            ferry::Buffer<std::uint32_t> one(device, items);
            ferry::Buffer<std::uint32_t> two(device, items);
            const auto work = [&](ferry::Queue& mine, ferry::Queue& other,
                                  ferry::Buffer<std::uint32_t>& data) {
                for (int i = 0; i < rounds; ++i) {
                    mine.launch(advance, grid, data, items);
                    if (i % 10 == 0) {
                        mine.wait(other.record());
                    }
                }
                mine.finish();
            };
            std::thread thread(work, std::ref(first), std::ref(second), std::ref(one));
            work(second, first, two);
            thread.join();
        });
        REQUIRE(rows.size() == 2);
        const TraceFile trace = read_trace();
        std::vector<std::uint64_t> threads;
        for (const TraceFile::Row& row : rows) {
            const std::vector<std::string> all = names(commands(trace, row));
            CHECK(std::ranges::count(all, "advance") == rounds);
            CHECK(std::ranges::count(all, "wait for an event") <=
                  rounds / 10); // complete events cause no wait
            threads.push_back(trace.slices.at(row)[0].arguments.at("by thread"));
        }
        CHECK(threads[0] != threads[1]);
    });
}

TEST_CASE("a launch whose group size Ferry chooses is one call") {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue(device);
    ferry::Buffer<std::uint32_t> data(device, items);
    const ferry::Kernel kernel = ferry::Program(device, kernels::trace_cl).kernel("advance");
    const auto calls = [] {
        const TraceFile trace = read_trace();
        std::ptrdiff_t count = 0;
        for (const auto& [row, slices] : trace.slices) {
            count += std::ranges::count(slices, "Queue::launch", &Slice::name);
        }
        return count;
    };
    const std::ptrdiff_t before = calls();
    queue.launch(kernel, ferry::Grid::covering(items), data, items);
    queue.launch(kernel, grid, data, items);
    queue.finish();
    CHECK(calls() == before + 2);
}

TEST_CASE("ranges of the program are slices around the calls in them, and nest") {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue(device);
    ferry::Buffer<std::uint32_t> data(device, items);
    {
        const ferry::Range outer("range test: outer \"quoted\"");
        queue.fill(data, 1U);
        {
            const ferry::Range inner(std::string("range test: inner"));
            queue.finish();
        }
        const ferry::Range empty("");
    }
    const TraceFile trace = read_trace();
    const Slice* outer = nullptr;
    const Slice* inner = nullptr;
    const Slice* finish = nullptr;
    for (const auto& [row, slices] : trace.slices) {
        for (const Slice& slice : slices) {
            outer = slice.name == "range test: outer \"quoted\"" ? &slice : outer;
            inner = slice.name == "range test: inner" ? &slice : inner;
        }
        for (const Slice& slice : slices) {
            const bool inside = inner != nullptr && slice.start >= inner->start && slice.end <= inner->end;
            finish = slice.name == "Queue::finish" && inside ? &slice : finish;
        }
    }
    REQUIRE(outer != nullptr);
    REQUIRE(inner != nullptr);
    CHECK(finish != nullptr);
    CHECK(outer->start <= inner->start);
    CHECK(outer->end >= inner->end);
    CHECK(outer->arguments.at("at").get<std::string>().find("trace_test.cpp:") != std::string::npos);
}

TEST_CASE("ranges reach a profiler that has its library in the process, and only then") {
    struct Profiler {
        const char* named;  ///< In the environment.
        const char* opened; ///< By the program.
    };
    for (const Profiler profiler : {Profiler{FERRY_TEST_NVTX, ""}, Profiler{nullptr, FERRY_TEST_ROCTX},
                                    Profiler{nullptr, FERRY_TEST_OLD_ROCTX}, Profiler{nullptr, ""}}) {
        CAPTURE(profiler.opened);
        const std::filesystem::path told = folder / "ranges.txt";
        std::filesystem::remove(told);
        support::Child child;
        child.arguments = {std::string("--child=ranges|") + profiler.opened};
        child.environment = {{"FERRY_TRACE", std::nullopt}, {"FERRY_TEST_RANGES", told.string()}};
        if (profiler.named != nullptr) {
            child.environment.emplace_back("NVTX_INJECTION64_PATH", profiler.named);
        }
        const support::ChildResult result = support::run(child);
        CHECK_MESSAGE(result.exited(0), result.describe());
        std::ifstream in(told);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        const bool any = profiler.named != nullptr || *profiler.opened != '\0';
        CHECK(text == (any ? "push one\npush two\npop\npop\n" : ""));
    }
}

TEST_CASE("more commands in flight than are timed") {
    on_every_device([](const ferry::Device& device) {
        constexpr std::size_t count = 6000;
        const ferry::Kernel advance = ferry::Program(device, kernels::trace_cl).kernel("advance");
        const auto rows = rows_of(device, [&] {
            ferry::Queue queue(device);
            ferry::Buffer<std::uint32_t> data(device, items);
            queue.fill(data, 0);
            for (std::size_t i = 0; i < count; ++i) {
                queue.launch(advance, grid, data, items);
            }
            CHECK(queue.read(data)[items - 1] == count);
        });
        REQUIRE(rows.size() == 1);
        const TraceFile trace = read_trace();
        const std::vector<Slice>& slices = trace.slices.at(rows[0]);
        REQUIRE(slices.size() == count + 2);
        const auto number = [](const Slice& slice) {
            return slice.arguments.at("command").get<std::uint64_t>();
        };
        CHECK(number(slices.back()) == number(slices.front()) + count + 1);
    });
}

TEST_CASE("a replayed recording, as one command or as those it is made of") {
    on_every_device([](const ferry::Device& device) {
        const ferry::Kernel advance = ferry::Program(device, kernels::trace_cl).kernel("advance");
        const auto rows = rows_of(device, [&] {
            ferry::Queue queue(device);
            ferry::Buffer<std::uint32_t> data(device, items);
            const ferry::Recording recording(device, [&](ferry::Recorder& recorder) {
                recorder.fill(data, 7);
                recorder.launch(advance, grid, data, items);
            });
            queue.replay(recording);
            queue.replay(recording);
            queue.replay({device, [](ferry::Recorder& r) { r.mark("a"), r.mark("\"b\""); }});
            CHECK(queue.read(data)[items - 1] == 8);
        });
        REQUIRE(rows.size() == 1);
        const TraceFile trace = read_trace();
        std::vector<std::string> all = names(commands(trace, rows[0]));
        REQUIRE(all.size() > 3); // Marks are never a part of a graph in a trace.
        CHECK(all.end()[-3] + all.end()[-2] + all.end()[-1] == "mark amark \"b\"" + copy_name());
        all.resize(all.size() - 3);
        if (all.size() == 2) {
            CHECK(all[0].starts_with("replay of "));
            CHECK(all[1] == all[0]);
        } else {
            CHECK(all == std::vector<std::string>{"fill", "advance", "fill", "advance"});
        }
    });
}

TEST_CASE("a command whose call fails is not in the trace, and those after it are") {
    const ferry::Device device = ferry::all_devices().front();
    const ferry::Kernel advance = ferry::Program(device, kernels::trace_cl).kernel("advance");
    const auto rows = rows_of(device, [&] {
        ferry::Queue queue(device);
        ferry::Buffer<std::uint32_t> data(device, items);
        CHECK_THROWS_AS(queue.launch(advance, grid, data), ferry::Error);
        queue.fill(data, 1);
        queue.finish();
    });
    const TraceFile trace = read_trace();
    REQUIRE(rows.size() == 1);
    CHECK(names(commands(trace, rows[0])) == std::vector<std::string>{"fill"});
}

TEST_CASE("the forked child of a traced process leaves the file alone") {
    const ferry::Device device = ferry::all_devices().front();
    ferry::Queue queue(device);
    const auto size = [] {
        ferry::trace::flush();
        return std::filesystem::file_size(partial);
    };
    const auto before = size();
    const pid_t child = fork();
    if (child == 0) {
        { const ferry::trace::Span span("of the child", {}); }
        ferry::trace::flush();
        ferry::trace::finish_at_exit();
        _exit(ferry::trace::active() ? 1 : 0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(size() == before);
    CHECK_NOTHROW(read_trace());
}

namespace {

support::ChildResult run_child(const std::string& name, const std::string& trace,
                               const ferry::Device& device) {
    return support::run(
        {.arguments = {"--child=" + name + "|" + device.id()}, .environment = {{"FERRY_TRACE", trace}}});
}

/// Enqueues slow work, and returns without waiting.
void leave_work(const std::string& device) {
    const ferry::Device chosen = ferry::find_device(device);
    const ferry::Kernel spin = ferry::Program(chosen, kernels::trace_cl).kernel("spin");
    auto* const data = new ferry::Buffer<std::uint32_t>(chosen, 1);
    auto* const queue = new ferry::Queue(chosen);
    queue->fill(*data, 1);
    for (int i = 0; i < 20; ++i) {
        queue->launch(spin, {1, 1}, *data, 1'000'000U);
    }
    queue->flush();
}

const support::ChildBody exits("exit with work in flight", [](const std::string& device) -> int {
    leave_work(device);
    std::exit(7);
});
const support::ChildBody is_killed("be killed", [](const std::string& device) -> int {
    leave_work(device);
    ferry::trace::flush();
    raise(SIGKILL);
    return 0;
});
const support::ChildBody is_refused("be refused", [](const std::string& device) {
    const ferry::Device chosen = ferry::find_device(device);
    for (int i = 0; i < 2; ++i) {
        try {
            const ferry::Queue queue(chosen);
            return 1;
        } catch (const ferry::Error& error) {
            std::cout << error.what() << '\n';
            if (error.code() != ferry::Code::invalid_argument || error.where().line() == 0) {
                return 2;
            }
        }
    }
    return 0;
});
constexpr rlim_t full_disk = 40'000; // in bytes

void limit_files(rlim_t bytes) {
    const rlimit limit{bytes, bytes};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        throw std::runtime_error("no limit of the size of files");
    }
}

const support::ChildBody fills_disk("fill the disk", [](const std::string& device) {
    const ferry::Device chosen = ferry::find_device(device);
    ferry::Buffer<std::uint32_t> data(chosen, items);
    ferry::Queue queue(chosen);
    limit_files(full_disk);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        queue.fill(data, i);
        queue.finish();
    }
    std::vector<std::uint32_t> host(items);
    queue.copy(data, host);
    queue.finish();
    return std::ranges::count(host, 999U) == items ? 0 : 1;
});
const support::ChildBody has_no_disk("have no disk", [](const std::string& device) {
    const ferry::Device chosen = ferry::find_device(device);
    limit_files(10);
    try {
        const ferry::Queue queue(chosen);
        return 1;
    } catch (const ferry::Error& error) {
        std::cerr << error.what() << '\n';
    }
    ferry::Queue(chosen).finish();
    return 0;
});
const support::ChildBody moves_away("move away", [](const std::string& device) {
    ferry::Queue queue(ferry::find_device(device));
    std::filesystem::current_path("/");
    queue.finish();
    return 0;
});
const support::ChildBody has_ranges("ranges", [](const std::string& profiler) {
    if (!profiler.empty() && dlopen(profiler.c_str(), RTLD_NOW) == nullptr) {
        return 1;
    }
    const ferry::Range one("one");
    const ferry::Range two("two");
    return 0;
});
const support::ChildBody is_traced("be traced", [](const std::string& device) {
    ferry::Queue(ferry::find_device(device)).finish();
    return 0;
});

} // namespace

TEST_CASE("a process that exits with work in flight leaves a whole trace") {
    on_every_device([](const ferry::Device& device) {
        const std::filesystem::path trace = folder / "exit.json";
        const support::ChildResult result = run_child("exit with work in flight", trace, device);
        REQUIRE_MESSAGE(result.exited(7), result.describe());
        const TraceFile read(trace);
        const auto rows = read.queues(device.id());
        REQUIRE(rows.size() == 1);
        const std::vector<Slice>& slices = commands(read, rows[0]);
        CHECK(slices.size() == 21);
        CHECK(std::ranges::count(names(slices), "spin") == 20);
    });
}

TEST_CASE("a process that is killed leaves JSON") {
    const ferry::Device device = ferry::all_devices().front();
    const support::ChildResult result = run_child("be killed", folder / "killed.json", device);
    CHECK(result.signal == SIGKILL);
    CHECK_FALSE(std::filesystem::exists(folder / "killed.json"));
    const TraceFile read(folder / "killed.json.partial");
    CHECK(read.begins.size() == 21); // all enqueued commands are in the trace; completed ones may be
}

TEST_CASE("a file that cannot be written is an error at first use, and again") {
    const ferry::Device device = ferry::all_devices().front();
    for (const char* name : {"/no such folder/trace.json", "/dev/full", "/"}) {
        const support::ChildResult result = run_child("be refused", name, device);
        CHECK_MESSAGE(result.exited(0), result.describe());
        CHECK_MESSAGE(result.says(std::string("FERRY_TRACE is \"") + name + "\""), result.describe());
    }
}

TEST_CASE("a file that is not a trace is neither opened for writing nor replaced") {
    const ferry::Device device = ferry::all_devices().front();
    const std::string text = "\x7f"
                             "ELF, or whatever the user has there";
    const std::filesystem::path program = folder / "program";
    const std::filesystem::path link = folder / "link.json";
    const std::filesystem::path pipe = folder / "pipe";
    const std::filesystem::path taken = folder / "taken.json";
    std::ofstream(program) << text;
    std::ofstream(folder / "taken.json.partial") << text;
    std::filesystem::create_symlink(program, link);
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    for (const auto& [name, why] : {std::pair<std::string, std::string>{program, "is not a trace"},
                                    {link, "is a symbolic link"},
                                    {pipe, "is a pipe"},
                                    {taken, "\"taken.json.partial\" exists and is not a trace"},
                                    {"/dev/zero", "is a device"},
                                    {folder, "is a directory"}}) {
        const support::ChildResult result = run_child("be refused", name, device);
        CHECK_MESSAGE(result.exited(0), result.describe());
        CHECK_MESSAGE(result.says(why), result.describe());
    }
    for (const std::filesystem::path& kept : {program, folder / "taken.json.partial"}) {
        std::ifstream stream(kept);
        CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == text);
    }
}

TEST_CASE("a trace takes the place of an old one, and of one that a killed process left") {
    const ferry::Device device = ferry::all_devices().front();
    const std::filesystem::path trace = folder / "again.json";
    CHECK(run_child("be killed", trace, device).signal == SIGKILL);
    for (int i = 0; i < 2; ++i) {
        const support::ChildResult result = run_child("be traced", trace, device);
        REQUIRE_MESSAGE(result.exited(0), result.describe());
        CHECK(TraceFile(trace).queues(device.id()).size() == 1);
        CHECK_FALSE(std::filesystem::exists(folder / "again.json.partial"));
    }
}

TEST_CASE("a trace is written to the program's initial working directory, even if it changes later") {
    const ferry::Device device = ferry::all_devices().front();
    const std::filesystem::path before = std::filesystem::current_path();
    std::filesystem::current_path(folder);
    const support::ChildResult result = run_child("move away", "moved.json", device);
    std::filesystem::current_path(before);
    REQUIRE_MESSAGE(result.exited(0), result.describe());
    CHECK(TraceFile(folder / "moved.json").queues(device.id()).size() == 1);
}

TEST_CASE("a full disk ends the trace, not the program, and the last event says so") {
    const ferry::Device device = ferry::all_devices().front();
    const support::ChildResult result = run_child("fill the disk", folder / "full.json", device);
    REQUIRE_MESSAGE(result.exited(0), result.describe());
    const TraceFile trace(folder / "full.json");
    CHECK(trace.reason == "it could not be written: File too large");
    CHECK(std::filesystem::file_size(folder / "full.json") <= full_disk);
}

TEST_CASE("a disk that is full from the start is reported once") {
    const ferry::Device device = ferry::all_devices().front();
    const support::ChildResult result = run_child("have no disk", folder / "none.json", device);
    REQUIRE_MESSAGE(result.exited(0), result.describe());
    CHECK_MESSAGE(result.says("File too large"), result.describe());
    CHECK_FALSE(std::filesystem::exists(folder / "none.json"));
    CHECK_FALSE(std::filesystem::exists(folder / "none.json.partial"));
}

TEST_CASE("another process with the same setting writes its own file") {
    const ferry::Device device = ferry::all_devices().front();
    const support::ChildResult result = run_child("be traced", file, device);
    REQUIRE_MESSAGE(result.exited(0), result.describe());
    std::size_t others = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("trace.") && entry.path() != partial) {
            ++others;
            CHECK(TraceFile(entry.path()).queues(device.id()).size() == 1);
        }
    }
    CHECK(others == 1);
    CHECK_NOTHROW(read_trace());
}

TEST_CASE("a name that is no UTF-8, and control characters, make JSON") {
    for (const char* name :
         {"\xff", "a\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\n\"\\\x01", "\xe2\x82"}) {
        const ferry::trace::Span span(name, {});
    }
    const TraceFile trace = read_trace();
    const std::vector<Slice>& calls = trace.slices.at({getpid(), static_cast<std::uint64_t>(gettid())});
    CHECK(calls.end()[-2].name == "\n\"\\\x01");
}

int main(int argc, char** argv) {
    if (const std::optional<int> status = support::run_child_body(argc, argv)) {
        return *status;
    }
    std::string name = std::filesystem::temp_directory_path() / "ferry-trace-XXXXXX";
    folder = mkdtemp(name.data());
    file = folder / "trace.json";
    partial = folder / "trace.json.partial";
    setenv("FERRY_TRACE", file.c_str(), 1);
    const int status = doctest::Context(argc, argv).run();
    std::filesystem::remove_all(folder);
    return status;
}
