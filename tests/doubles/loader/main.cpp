// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "embedded.hpp"
#include "report.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Applies a setting given as text, for example "hip_library=/path".
void set(ferry::Settings& settings, const std::string& text) {
    const std::pair<const char*, std::optional<std::string> ferry::Settings::*> fields[] = {
        {"device", &ferry::Settings::device},
        {"cuda_library", &ferry::Settings::cuda_library},
        {"nvrtc_library", &ferry::Settings::nvrtc_library},
        {"hip_library", &ferry::Settings::hip_library},
        {"hiprtc_library", &ferry::Settings::hiprtc_library},
        {"opencl_library", &ferry::Settings::opencl_library},
        {"host_mode", &ferry::Settings::host_mode},
        {"host_seed", &ferry::Settings::host_seed}};
    const std::size_t equals = text.find('=');
    for (const auto& [name, field] : fields) {
        if (text.substr(0, equals) == name) {
            settings.*field = text.substr(equals + 1);
        }
    }
}

void report() {
    bool any = false;
    for (const ferry::BackendReport& report : ferry::backends()) {
        any = any || report.available;
        std::printf("%s: %s\n", report.name.c_str(), report.available ? "available" : "not available");
        for (const ferry::BackendReason& reason : report.reasons) {
            std::printf("%s\n", reason.text.c_str());
        }
        if (!report.library.empty()) {
            std::printf("library: %s\n", report.library.c_str());
        }
        if (report.available && report.backend != ferry::Backend::host) {
            const ferry::DeviceInfo& info = ferry::find_device(report.name).info();
            std::printf("%s %s: %s\n", report.name.c_str(), info.compiles ? "compiles" : "does not compile",
                        info.compile_note.c_str());
        }
    }
    if (any) {
        std::printf("devices:");
        for (const ferry::Device& device : ferry::devices()) {
            std::printf(" %s", device.id().c_str());
        }
        std::printf("\n");
    }
    for (const std::string& name : support::mapped_libraries()) {
        std::printf("mapped: %s\n", name.c_str());
    }
}

/// Prints the default device, one "FIELD: VALUE" for each line.
void describe() {
    const ferry::Device device = ferry::default_device();
    const ferry::DeviceInfo& info = device.info();
    const auto text = [](const char* field, const std::string& value) {
        std::printf("%s: %s\n", field, value.c_str());
    };
    const auto number = [&](const char* field, auto value) { text(field, std::to_string(value)); };
    const auto numbers = [&](const char* field, const auto& three) {
        text(field,
             std::to_string(three[0]) + ' ' + std::to_string(three[1]) + ' ' + std::to_string(three[2]));
    };
    text("name", info.name);
    text("vendor", info.vendor);
    text("platform", info.platform);
    text("architecture", info.architecture);
    text("kind", std::string(to_string(info.kind)));
    text("uuid", info.uuid);
    text("pci_address", info.pci_address);
    number("integrated", static_cast<int>(info.integrated == true));
    number("total_memory", info.total_memory);
    number("compute_units", info.compute_units);
    number("clock_mhz", info.clock_mhz);
    number("max_group_size", info.max_group_size);
    numbers("max_local", info.max_local);
    numbers("max_groups", info.max_groups);
    number("local_memory", info.local_memory);
    number("sub_group_width", info.sub_group_width);
    number("fp16", static_cast<int>(info.fp16));
    number("fp64", static_cast<int>(info.fp64));
    number("int64_atomics", static_cast<int>(info.int64_atomics));
    number("timing", static_cast<int>(info.timing));
    number("compiles", static_cast<int>(info.compiles));
    number("host_memory", static_cast<int>(info.host_memory));
    number("shared_memory", static_cast<int>(info.shared_memory));
    const bool hip = info.backend == ferry::Backend::hip; // NVML reports CUDA's version.
    number("version fits",
           static_cast<int>(info.driver_version.starts_with(hip ? info.api_version + "." : "550.")));
    const std::uint64_t machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const ferry::MemoryInfo memory = device.memory();
    const std::uint64_t free = memory.free.value_or(0);
    number("more memory than the machine", static_cast<int>(memory.total > machine));
    number("free memory of the machine", static_cast<int>(free > 0 && free < machine));
}

/// Runs `work` and prints an Error. Returns the exit status.
int said(const std::function<void()>& work) {
    try {
        work();
        return 0;
    } catch (const ferry::Error& error) {
        std::printf("%s: %s\n", std::string(ferry::to_string(error.code())).c_str(), error.what());
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
    }
    return 3;
}

} // namespace

// The first argument is --report, --default, --describe or --devices, followed by FIELD=VALUE pairs. --report
// prints the state of each backend and the libraries mapped in this process. --default prints the id of the
// default device,
// --describe its properties, and --devices all devices. embedded.hpp describes --make and --embedded.
int main(int count, char** arguments) {
    const std::string what = count >= 2 ? arguments[1] : "";
    const std::vector<std::string> more(arguments + std::min(count, 2), arguments + count);
    if (what == "--make" || what == "--embedded") {
        return said([&] {
            if (what == "--embedded") {
                loader::run_embedded(more);
            } else {
                loader::make_code_objects(more.at(0), {more.begin() + 1, more.end()});
            }
        });
    }
    if (what != "--report" && what != "--default" && what != "--describe" && what != "--devices") {
        return doctest::Context(count, arguments).run();
    }
    return said([&] {
        ferry::Settings settings;
        for (const std::string& text : more) {
            set(settings, text);
        }
        ferry::configure(settings);
        if (what == "--report") {
            report();
        } else if (what == "--describe") {
            describe();
        } else if (what == "--default") {
            std::printf("default: %s\n", ferry::default_device().id().c_str());
        } else {
            for (const ferry::Device& device : ferry::devices()) {
                std::printf("device: %s\n", device.id().c_str());
            }
        }
    });
}
