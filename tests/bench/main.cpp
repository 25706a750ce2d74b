// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace bench {

void* open_library(const char* variable, std::span<const char* const> names) {
    if (const char* name = std::getenv(variable); name && *name) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
        throw std::runtime_error(std::string("The raw side could not open the library that ") + variable +
                                 " names: " + dlerror() + ".");
    }
    for (const char* name : names) {
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
            return library;
        }
    }
    throw std::runtime_error(std::string("The raw side could not open ") + names.front() + ": " + dlerror() +
                             ".");
}

void* find_symbol(void* library, const char* name) {
    if (void* symbol = dlsym(library, name)) {
        return symbol;
    }
    throw std::runtime_error(std::string("The raw side found no function \"") + name +
                             "\" in the vendor's library.");
}

namespace {

std::vector<ferry::Device> chosen_devices(const Options& options) {
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

std::size_t large_size(const ferry::Device& device, const Options& options) {
    const ferry::DeviceInfo& info = device.info();
    std::uint64_t bytes = info.kind == ferry::DeviceKind::gpu ? 1U << 30 : 64U << 20;
    if (options.quick) {
        bytes = 1U << 20;
    }
    if (options.large_bytes != 0) {
        bytes = options.large_bytes;
    }
    bytes = std::min({bytes, info.max_allocation, info.total_memory / 8});
    return std::max<std::size_t>(bytes, small_bytes);
}

std::unique_ptr<Subject> raw_subject(const Setup& setup) {
    switch (setup.device.backend()) {
    case ferry::Backend::cuda:
        return cuda_subject(setup);
    case ferry::Backend::hip:
        return hip_subject(setup);
    default:
        return opencl_subject(setup);
    }
}

DeviceResults run(const ferry::Device& device, const Options& options) {
    std::vector<ferry::Source> sources = ferry::Source::cuda_and_hip(driver_text);
    sources.push_back(ferry::Source::opencl_c(opencl_text));
    const ferry::Program program(device, sources);
    Setup setup{device, options.timing, large_size(device, options), {}};
    if (device.backend() != ferry::Backend::opencl) {
        setup.code = program.binary();
        setup.code.push_back(std::byte{}); // PTX is text that ends with a zero
    }
    const auto ferry = ferry_subject(setup, program.kernel(kernel_name));
    const auto raw = raw_subject(setup);

    DeviceResults results{device, {}};
    print_header(device, options);
    for (const Case& test : cases()) {
        if (test.name.find(options.filter) != std::string_view::npos) {
            results.results.push_back(measure(test, *raw, *ferry, setup.large_bytes, options));
            print_row(results.results.back());
        }
    }
    if (!results.results.empty()) {
        std::printf("Large copies are %zu MiB. Every result was checked.\n", setup.large_bytes >> 20);
    }
    return results;
}

int run(const Options& options) {
    if (options.help) {
        std::fputs(usage, stdout);
        return 0;
    }
    if (options.list) {
        for (const Case& test : cases()) {
            std::printf("%-20s %s\n", std::string(test.name).c_str(), std::string(test.what).c_str());
        }
        return 0;
    }
    std::vector<DeviceResults> all;
    bool failed = false;
    for (const ferry::Device& device : chosen_devices(options)) {
        try {
            all.push_back(run(device, options));
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

} // namespace
} // namespace bench

int main(int argc, char** argv) {
    try {
        return bench::run(bench::parse(argc, argv));
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "ferry_bench: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ferry_bench: %s\n", error.what());
        return 1;
    }
}
