// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "report.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

namespace {

/// "hip_library=/path": what the program sets, as its environment may say it.
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
        for (const std::string& reason : report.reasons) {
            std::printf("%s\n", reason.c_str());
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

} // namespace

// --report, --default or --devices, then FIELD=VALUE...: what became of each backend, and which libraries
// this process has mapped then; which device is the default one; which there are.
int main(int count, char** arguments) {
    const std::string what = count >= 2 ? arguments[1] : "";
    if (what != "--report" && what != "--default" && what != "--devices") {
        return doctest::Context(count, arguments).run();
    }
    try {
        ferry::Settings settings;
        for (int i = 2; i < count; ++i) {
            set(settings, arguments[i]);
        }
        ferry::configure(settings);
        if (what == "--report") {
            report();
        } else if (what == "--default") {
            std::printf("default: %s\n", ferry::default_device().id().c_str());
        } else {
            for (const ferry::Device& device : ferry::devices()) {
                std::printf("device: %s\n", device.id().c_str());
            }
        }
    } catch (const ferry::Error& error) {
        std::printf("%s: %s\n", std::string(ferry::to_string(error.code())).c_str(), error.what());
        return 3;
    }
    return 0;
}
