// SPDX-License-Identifier: Apache-2.0
#include "examine.hpp"

#include "signals.hpp"

#include <ferry/error.hpp>
#include <ferry/settings.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cli::doctor {
namespace {

constexpr const char* mend_setting =
    "Set the variable or setting named there to a valid value, or unset it (docs/environment.md).";

/// Whether a setting has an invalid value: the arguments of these checks are valid. All other checks of the
/// device would report the same error.
bool is_of_setting(const ferry::Error& error) {
    return error.code() == ferry::Code::invalid_argument && error.vendor() == nullptr;
}

std::string mend_of(const ferry::Error& error, const ferry::Device& device) {
    if (is_of_setting(error)) {
        return mend_setting;
    }
    switch (error.code()) {
    case ferry::Code::build_failed:
        return "See the compiler's messages above; docs/environment.md describes how to choose another "
               "compiler.";
    case ferry::Code::out_of_memory:
        return "See what else uses the device's memory, and what ulimit -l and ulimit -v allow.";
    case ferry::Code::device_lost:
        return "See the kernel's log (dmesg) for the driver's messages; reload the driver or reboot.";
    case ferry::Code::unsupported:
        if (!device.info().compiles) {
            return mend_compiler(device);
        }
        [[fallthrough]];
    default:
        return "Run with FERRY_TRACE to see the calls before it, and update the driver.";
    }
}

/// The backend that FERRY_DEVICE names, alone or before a colon.
std::optional<ferry::Backend> backend_of_choice() {
    const char* const value = secure_getenv("FERRY_DEVICE");
    std::string name;
    for (const char c : std::string_view(value != nullptr ? value : "")) {
        if (c == ':') {
            break;
        }
        if (c != ' ' && c != '\t') {
            name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        }
    }
    return ferry::backend_from_name(name);
}

/// Advice if programs that select no device cannot run, because of FERRY_DEVICE or an unavailable backend.
std::string mend_of_choice(const ferry::Error& error) {
    const bool unavailable = error.code() == ferry::Code::unavailable;
    if (unavailable) {
        const std::optional<ferry::Backend> chosen = backend_of_choice();
        const std::vector<ferry::BackendReport> reports = ferry::backends();
        const bool none = std::none_of(reports.begin(), reports.end(),
                                       [](const ferry::BackendReport& report) { return report.available; });
        for (const ferry::BackendReport& report : reports) {
            if (report.available || report.reasons.empty()) {
                continue;
            }
            const ferry::BackendProblem problem = report.reasons.front().problem;
            if (chosen ? report.backend == *chosen : none && problem != ferry::BackendProblem::not_selected) {
                return mend_of_backend(report.backend, problem) +
                       " Or set FERRY_DEVICE to another device shown by ferry list, or unset it.";
            }
        }
    }
    if (!unavailable && error.code() != ferry::Code::invalid_argument) {
        return "Update the driver, and look at the kernel's log (dmesg) for its messages; or set "
               "FERRY_DEVICE to another device shown by ferry list.";
    }
    return "Set FERRY_DEVICE to a device shown by ferry list, or unset it. Until then, programs that select "
           "no device do not run.";
}

Finding what_it_is(const ferry::Device& device) {
    const ferry::DeviceInfo& info = device.info();
    std::string what = info.name;
    const auto add = [&](const char* name, const std::string& value) {
        what += value.empty() ? "" : std::string(", ") + name + value;
    };
    add("of ", info.vendor);
    add("platform ", info.platform);
    add("driver ", info.driver_version);
    add("API ", info.api_version);
    return good(device, "device", what + ".");
}

/// Whether the user has chosen the library. If so, it must work, even on a machine without such a device.
bool names_library(ferry::Backend backend) {
    const char* const variable = backend == ferry::Backend::cuda     ? "FERRY_CUDA_LIBRARY"
                                 : backend == ferry::Backend::hip    ? "FERRY_HIP_LIBRARY"
                                 : backend == ferry::Backend::opencl ? "FERRY_OPENCL_LIBRARY"
                                 : backend == ferry::Backend::vulkan ? "FERRY_VULKAN_LIBRARY"
                                                                     : "";
    const char* const value = secure_getenv(variable);
    return value != nullptr && *value != '\0';
}

} // namespace

void examine_device(const ferry::Device& device, Reporter& reporter) {
    reporter.step(device.id(), "device");
    reporter.finding(what_it_is(device));
    reporter.findings(look_at_compiler(device));
    struct Try {
        const char* name;
        Findings (*run)(const ferry::Device&);
    };
    for (const Try& one :
         {Try{"memory", try_memory}, Try{"staging", try_staging}, Try{"transfers", try_transfers},
          Try{"kernel", try_kernel}, Try{"facts", try_facts}}) {
        reporter.step(device.id(), one.name);
        try {
            reporter.findings(one.run(device));
        } catch (const ferry::Error& error) {
            reporter.finding(
                {Severity::problem, one.name, device.id(), error.what(), mend_of(error, device)});
            if (error.code() == ferry::Code::device_lost || is_of_setting(error)) {
                break;
            }
        }
    }
    reporter.finished(device.id());
}

Findings examine_choice() {
    try {
        const ferry::Device device = ferry::default_device();
        return {{Severity::good, "choice", "machine",
                 "Programs get " + device.id() + ", " + device.info().name + ".", ""}};
    } catch (const ferry::Error& error) {
        return {{Severity::problem, "choice", "machine", error.what(), mend_of_choice(error)}};
    }
}

void examine_backend(ferry::Backend backend, bool expected, Reporter& reporter) {
    const std::string name(to_string(backend));
    ferry::Settings settings;
    settings.backend = name;
    ferry::configure(settings);
    reporter.step(name, "backend");
    const SignalHandlers handlers;
    for (const ferry::BackendReport& report : ferry::backends()) {
        if (report.backend != backend) {
            continue;
        }
        for (const ferry::BackendReason& reason : report.reasons) {
            const std::string mend = mend_of_backend(backend, reason.problem);
            const bool problem = (expected || names_library(backend)) && !report.available;
            reporter.finding(
                {problem ? Severity::problem : Severity::note, "backend", name, reason.text,
                 problem ? mend
                 : report.available
                     ? "No action is needed if its other devices are sufficient. Otherwise: " + mend
                     : "No action is needed if the machine has no such device: the other backends are used. "
                       "Otherwise: " +
                           mend});
        }
        if (report.available) {
            reporter.finding({Severity::good, "backend", name,
                              "It was opened" + (report.library.empty() ? "." : ": " + report.library + "."),
                              ""});
        }
    }
    reporter.findings(handlers.changes(name));
    try {
        const std::vector<ferry::Device> devices = ferry::all_devices();
        for (const ferry::Device& device : devices) {
            reporter.device(device.id());
        }
        for (const ferry::Device& device : devices) {
            examine_device(device, reporter);
        }
    } catch (const ferry::Error& error) {
        // Otherwise the reasons reported above are sufficient.
        if (error.code() != ferry::Code::unavailable) {
            throw;
        }
    }
}

} // namespace cli::doctor
