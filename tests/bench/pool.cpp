// SPDX-License-Identifier: Apache-2.0
// Creates and destroys a buffer of 1 MiB through Ferry and by the vendor's calls. Prints JSON lines with
// nanoseconds for one pair: the median of the repetitions and their quartiles.
#include "commands.hpp"

#include <ferry/ferry.hpp>
#include <ferry/interop/cuda.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;
using Bytes = ferry::Buffer<std::uint8_t>;
using Clock = std::chrono::steady_clock;

void report(const ferry::Device& device, const std::string& name, int repetitions, int steps,
            const std::function<void(int)>& work, const std::function<void()>& settle) {
    std::vector<double> times;
    for (int i = -1; i < repetitions; ++i) { // round -1 warms up
        const auto start = Clock::now();
        work(steps);
        const double time = std::chrono::duration<double, std::nano>(Clock::now() - start).count() / steps;
        settle();
        if (i >= 0) {
            times.push_back(time);
        }
    }
    std::sort(times.begin(), times.end());
    const std::size_t n = times.size();
    std::printf(
        "{\"device\": \"%s\", \"name\": \"%s\", \"bytes\": %zu, \"median_ns\": %.0f, \"quartile1_ns\": "
        "%.0f, \"quartile3_ns\": %.0f, \"repetitions\": %d}\n",
        device.id().c_str(), name.c_str(), bytes, times[n / 2], times[n / 4], times[n * 3 / 4], repetitions);
    std::fflush(stdout);
}

void with_ferry(const ferry::Device& device, int repetitions, int steps) {
    ferry::Queue queue{device};
    const auto finish = [&] { queue.finish(); };
    for (const ferry::MemoryKind kind :
         {ferry::MemoryKind::device, ferry::MemoryKind::host, ferry::MemoryKind::shared}) {
        if (!device.has(kind)) {
            continue;
        }
        const std::string name = "ferry." + std::string(ferry::to_string(kind));
        const auto pairs = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const Bytes buffer{device, bytes, kind};
            }
        };
        report(device, name + ".alloc_free", repetitions, steps, pairs, finish);
        const auto used = [&](int count) {
            for (int i = 0; i < count; ++i) {
                Bytes buffer{device, bytes, kind};
                queue.fill(buffer.first(64), std::uint8_t{1});
            }
        };
        report(device, name + ".alloc_use_free", repetitions, steps / 4 + 1, used, finish);
    }
    Bytes kept{device, bytes};
    const auto fills = [&](int count) {
        for (int i = 0; i < count; ++i) {
            queue.fill(kept.first(64), std::uint8_t{1});
        }
    };
    report(device, "ferry.use_alone", repetitions, steps / 4 + 1, fills, finish);
    const auto threads = [&](int count) {
        std::vector<std::thread> all;
        for (int t = 0; t < 4; ++t) {
            all.emplace_back([&] {
                for (int i = 0; i < count; ++i) {
                    const Bytes buffer{device, bytes};
                }
            });
        }
        for (std::thread& thread : all) {
            thread.join();
        }
    };
    report(device, "ferry.device.alloc_free.4_threads", repetitions, steps, threads, finish);
}

void with_cuda(const ferry::Device& device, int repetitions, int steps) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (function == nullptr) {
            throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
        }
    };
    int (*set_current)(void*) = nullptr;
    int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
    int (*release)(std::uint64_t) = nullptr;
    int (*allocate_async)(std::uint64_t*, std::size_t, void*) = nullptr;
    int (*release_async)(std::uint64_t, void*) = nullptr;
    int (*default_pool)(void**, int) = nullptr;
    int (*set_attribute)(void*, int, void*) = nullptr;
    find(set_current, "cuCtxSetCurrent");
    find(allocate, "cuMemAlloc_v2");
    find(release, "cuMemFree_v2");
    find(allocate_async, "cuMemAllocAsync");
    find(release_async, "cuMemFreeAsync");
    find(default_pool, "cuDeviceGetDefaultMemPool");
    find(set_attribute, "cuMemPoolSetAttribute");
    ferry::Queue queue{device};
    void* const stream = ferry::interop::cuda::stream(queue);
    set_current(ferry::interop::cuda::context(device));
    const auto check = [](int code) {
        if (code != 0) {
            throw std::runtime_error("a call of the CUDA driver returned " + std::to_string(code));
        }
    };
    const auto plain = [&](int count) {
        for (int i = 0; i < count; ++i) {
            std::uint64_t pointer = 0;
            check(allocate(&pointer, bytes));
            check(release(pointer));
        }
    };
    report(device, "raw.cuMemAlloc_cuMemFree", repetitions, steps / 20 + 1, plain, [] {});
    constexpr int release_threshold = 4; // CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    void* pool = nullptr;
    std::uint64_t all = ~std::uint64_t{0};
    check(default_pool(&pool, ferry::interop::cuda::device(device)));
    check(set_attribute(pool, release_threshold, &all));
    const auto ordered = [&](int count) {
        for (int i = 0; i < count; ++i) {
            std::uint64_t pointer = 0;
            check(allocate_async(&pointer, bytes, stream));
            check(release_async(pointer, stream));
        }
    };
    report(device, "raw.cuMemAllocAsync_cuMemFreeAsync", repetitions, steps, ordered,
           [&] { queue.finish(); });
}

} // namespace

int bench::pool(bool quick) {
    const int repetitions = quick ? 3 : 21;
    const int steps = quick ? 20 : 2000;
    for (const ferry::Device& device : ferry::all_devices()) {
        with_ferry(device, repetitions, steps);
        if (device.backend() == ferry::Backend::cuda) {
            with_cuda(device, repetitions, steps);
        }
    }
    return 0;
}
