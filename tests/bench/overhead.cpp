// SPDX-License-Identifier: Apache-2.0
// Measures Ferry's own part of a call, on a CUDA driver with calls that cost nothing (tests/doubles/empty),
// also with several threads that each use their own queue.
#include "commands.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* text = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry bump(.param .u64 data, .param .u64 more, .param .u32 add, .param .u32 n) { ret; }
)";

constexpr int steps = 256;

/// The nanoseconds of one step: the median of samples of many steps.
template <class Step>
double time_of(int samples, const Step& step) {
    std::vector<double> times;
    for (int sample = 0; sample < samples; ++sample) {
        const auto start = Clock::now();
        for (int i = 0; i < steps; ++i) {
            step();
        }
        times.push_back(std::chrono::duration<double, std::nano>(Clock::now() - start).count() / steps);
    }
    std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
    return times[static_cast<std::size_t>(samples) / 2];
}

void report(const char* name, double nanoseconds) {
    std::printf("%-28s %8.1f ns\n", name, nanoseconds);
}

/// The objects of one thread.
struct Work {
    explicit Work(const ferry::Device& device)
        : queue(device), other(device), data(device, 64), more(device, 64) {}
    ferry::Queue queue;
    ferry::Queue other;
    ferry::Buffer<std::uint32_t> data;
    ferry::Buffer<std::uint32_t> more;
};

constexpr ferry::Grid grid{1, 64};

double launches_of_threads(const ferry::Device& device, const ferry::Kernel& kernel, int threads,
                           int samples) {
    std::vector<Work> work;
    work.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) {
        work.emplace_back(device);
    }
    std::atomic<int> ready{0};
    std::vector<double> times(work.size());
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < work.size(); ++i) {
        running.emplace_back([&, i] {
            ++ready;
            while (ready != threads) {
            }
            Work& mine = work[i];
            times[i] =
                time_of(samples, [&] { mine.queue.launch(kernel, grid, mine.data, mine.more, 7U, 64U); });
        });
    }
    for (std::thread& thread : running) {
        thread.join();
    }
    return *std::max_element(times.begin(), times.end());
}

} // namespace

int bench::overhead(bool quick) {
    const int samples = quick ? 20 : 2000;
    ferry::configure({.backend = "cuda", .cuda_library = FERRY_EMPTY_CUDA});
    const ferry::Device device = ferry::default_device();
    const ferry::Kernel kernel = ferry::Program(device, ferry::Source::ptx(text)).kernel("bump");
    Work work(device);
    ferry::Buffer<std::byte> host(device, 4096, ferry::MemoryKind::host);
    ferry::Buffer<std::byte> there(device, 4096);
    report("launch, 4 arguments",
           time_of(samples, [&] { work.queue.launch(kernel, grid, work.data, work.more, 7U, 64U); }));
    const std::vector<std::byte> ordinary(4096);
    report("copy, 4 KiB", time_of(samples, [&] { work.queue.copy(host, there); }));
    report("copy, 4 KiB, ordinary", time_of(samples, [&] { work.queue.copy(ordinary, there); }));
    std::vector<std::byte> imported(1 << 16);
    report("import 64 KiB, and its end",
           time_of(samples, [&] { const ferry::Imported<std::byte> one(device, imported); }));
    report("record", time_of(samples, [&] { work.queue.record(); }));
    report("record, another waits", time_of(samples, [&] { work.other.wait(work.queue.record()); }));
    report("record, the host waits", time_of(samples, [&] { work.queue.record().wait(); }));
    report("finish", time_of(samples, [&] { work.queue.finish(); }));
    for (const int threads : {1, 2, 4, 8}) {
        report(("launch, " + std::to_string(threads) + " threads").c_str(),
               launches_of_threads(device, kernel, threads, samples));
    }
    return 0;
}
