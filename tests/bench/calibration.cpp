// SPDX-License-Identifier: Apache-2.0
// Measures the cost of the facts about a device: Device::capabilities() with an empty cache, in a later
// process that reads them from disk, and a second time in the same process. Prints JSON. It links internal
// code to make the process forget the facts.
#include "commands.hpp"
#include "measure/device_knowledge.hpp"

#include <ferry/ferry.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace {

constexpr ferry::MemoryKind kinds[] = {ferry::MemoryKind::device, ferry::MemoryKind::host,
                                       ferry::MemoryKind::shared, ferry::MemoryKind::imported};

/// The milliseconds needed for all facts about a device.
double ask(const ferry::Device& device) {
    const auto start = std::chrono::steady_clock::now();
    for (const ferry::MemoryKind kind : kinds) {
        static_cast<void>(device.capabilities(kind));
    }
    static_cast<void>(ferry::detail::known_cost_model(device.state(), {}));
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double ask_as_new(const ferry::Device& device) {
    ferry::detail::forget(device.state());
    return ask(device);
}

void report(const ferry::Device& device, bool last) {
    const double first = ask(device);
    // If the time was too short, the next processes continue, three in all.
    double most = first;
    int measurements = 1;
    for (double next = ask_as_new(device); next > 100 && measurements < 10; next = ask_as_new(device)) {
        most = std::max(most, next);
        ++measurements;
    }
    double from_disk = ask_as_new(device);
    double again = ask(device);
    for (int i = 0; i < 20; ++i) {
        from_disk = std::min(from_disk, ask_as_new(device));
        again = std::min(again, ask(device));
    }
    std::printf("  {\"device\": \"%s\", \"name\": \"%s\", \"first_ms\": %.1f, \"measurements\": %d, "
                "\"longest_ms\": %.1f, \"from_disk_ms\": %.3f, \"again_ms\": %.4f}%s\n",
                device.id().c_str(), device.info().name.c_str(), first, measurements, most, from_disk, again,
                last ? "" : ",");
}

} // namespace

int bench::calibration() {
    std::string cache = (std::filesystem::temp_directory_path() / "ferry-calibration-XXXXXX").string();
    if (mkdtemp(cache.data()) == nullptr) {
        throw std::runtime_error("No folder for the cache could be made in " + cache);
    }
    setenv("FERRY_CACHE_DIR", cache.c_str(), 1); // NOLINT(concurrency-mt-unsafe): one thread
    int status = 0;
    try {
        const auto devices = ferry::devices();
        std::puts("[");
        for (const ferry::Device& device : devices) {
            report(device, device == devices.back());
        }
        std::puts("]");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        status = 1;
    }
    std::error_code ignored;
    std::filesystem::remove_all(cache, ignored);
    return status;
}
