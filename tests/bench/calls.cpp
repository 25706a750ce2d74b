// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "report.hpp"
#include "run.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace bench {

namespace {

std::vector<ferry::Device> chosen_devices(const CallsOptions& options) {
    std::vector<ferry::Device> devices;
    for (const std::string& selector : options.devices) {
        devices.push_back(ferry::find_device(selector));
    }
    if (options.devices.empty()) {
        devices = ferry::all_devices();
    }
    std::erase_if(devices, [](const ferry::Device& device) {
        const bool host = device.backend() == ferry::Backend::host;
        if (host) {
            std::printf("%s is left out: there is no vendor call to compare with.\n", device.id().c_str());
        }
        return host;
    });
    return devices;
}

std::size_t large_size(const ferry::Device& device, const CallsOptions& options) {
    const ferry::DeviceInfo& info = device.info();
    std::uint64_t bytes = info.kind == ferry::DeviceKind::gpu ? 1U << 30 : 64U << 20;
    if (options.quick) {
        bytes = 1U << 20;
    }
    if (options.large_bytes != 0) {
        bytes = options.large_bytes;
    }
    bytes = std::min({bytes, info.max_allocation, info.total_memory / 8});
    return std::max<std::size_t>(bytes / small_bytes * small_bytes, small_bytes);
}

DeviceResults run_cases(const ferry::Device& device, const CallsOptions& options) {
    const std::size_t large = large_size(device, options);
    const Sides sides = make_sides(device, large, options.timing);
    DeviceResults results{device, {}};
    print_header(device, options);
    for (const Case& test : cases()) {
        if (test.what.name.find(options.filter) == std::string_view::npos) {
            continue;
        }
        Effort effort{.pairs = test.large ? 31 : 201, .warm_up = test.large ? 1 : 5};
        if (options.quick) {
            effort = {.pairs = 3, .sample_ns = 2e5, .batch = 16, .warm_up = 1};
        }
        if (options.repetitions != 0) {
            effort.pairs = options.repetitions;
        }
        effort.most_pairs = effort.pairs;
        const std::size_t bytes = test.large ? large : test.what.sizes.empty() ? 0 : small_bytes;
        results.results.push_back({&test, measure(test.what, sides.raw.get(), *sides.ferry, bytes, effort)});
        print_row(results.results.back());
    }
    if (!results.results.empty()) {
        std::printf("Large copies are %zu MiB. Every result was checked.\n", large >> 20);
    }
    return results;
}

} // namespace

int calls(const CallsOptions& options) {
    if (options.list) {
        for (const Case& test : cases()) {
            std::printf("%-20s %s\n", std::string(test.what.name).c_str(),
                        std::string(test.what.what).c_str());
        }
        return 0;
    }
    std::vector<DeviceResults> all;
    bool failed = false;
    for (const ferry::Device& device : chosen_devices(options)) {
        try {
            all.push_back(run_cases(device, options));
        } catch (const std::exception& error) {
            std::fprintf(stderr, "%s: %s\n", device.id().c_str(), error.what());
            failed = true;
        }
    }
    if (!options.json.empty()) {
        std::ofstream file(options.json);
        write_json(file, all, options);
        file.close();
        if (!file) {
            throw std::runtime_error("The file \"" + options.json + "\" could not be written.");
        }
    }
    return failed ? 1 : 0;
}

} // namespace bench
