// SPDX-License-Identifier: Apache-2.0
#include "device/runtime.hpp"

#include "base/no_destructor.hpp"
#include "base/process_exit.hpp"
#include "probe/probe.hpp"
#include "system/no_cancellation.hpp"
#include "system/process_state.hpp"

#include <cxxabi.h>

#include <exception>
#include <filesystem>
#include <utility>

namespace ferry::detail {
namespace {

std::unique_ptr<backend::Driver> open_library(Backend backend, const probe::Verdict& verdict,
                                              std::vector<BackendReason>& reasons) {
    const backend::Row& row = backend::rows[static_cast<std::size_t>(backend)];
    if (verdict.icds.empty()) {
        return row.open(library_settings(), reasons);
    }
    const probe::IcdFolder folder(verdict.icds);
    if (!folder) {
        reasons.push_back({BackendProblem::failed,
                           "No folder for the OpenCL drivers that passed their test could be made"});
        return nullptr;
    }
    const probe::ChangedEnvironment environment(folder.variables());
    return row.open(library_settings(), reasons);
}

/// The loader omits them without a message.
void add_missing_icds(std::vector<BackendReason>& reasons) {
    for (const probe::Icd& icd : probe::installed_icds()) {
        std::error_code failed;
        if (icd.library.find('/') != std::string::npos && !std::filesystem::exists(icd.library, failed)) {
            reasons.push_back({BackendProblem::missing_driver, icd.source + " names the OpenCL driver " +
                                                                   icd.library + ", which does not exist"});
        }
    }
}

} // namespace

Runtime& Runtime::get() {
    static NoDestructor<Runtime> runtime;
    return *runtime;
}

Runtime::Opened& Runtime::open(Backend backend) {
    Opened& opened = opened_[static_cast<std::size_t>(backend)];
    const NoCancellation not_cancelled;
    std::call_once(opened.once, [&]() FERRY_CATCHES_FORCED_UNWIND {
        opened.attempted = true;
        try {
            probe::Verdict verdict = probe::verdict_on({backend});
            opened.reasons = std::move(verdict.reasons);
            opened.files = std::move(verdict.files);
            if (backend == Backend::opencl) {
                add_missing_icds(opened.reasons);
            }
            const std::size_t notes = opened.reasons.size();
            const ProcessState kept;
            opened.driver = verdict.usable ? open_library(backend, verdict, opened.reasons) : nullptr;
            if (opened.driver == nullptr) {
                return;
            }
            opened.library = opened.driver->library();
            for (auto& device : opened.driver->devices()) {
                opened.devices.push_back(std::make_unique<DeviceState>(std::move(device)));
            }
            if (opened.devices.empty() && opened.reasons.size() == notes) {
                opened.reasons.push_back({BackendProblem::no_device, opened.library + " has no device"});
            }
        } catch (const std::exception& error) {
            opened.devices.clear();
            opened.reasons.push_back({BackendProblem::failed, error.what()});
        } catch (const abi::__forced_unwind&) { // The thread is being cancelled.
            throw;
        } catch (...) {
            opened.devices.clear();
            opened.reasons.push_back(
                {BackendProblem::failed, "The vendor library threw an exception that is no std::exception"});
        }
        register_exit_handler();
    });
    return opened;
}

const std::vector<std::unique_ptr<DeviceState>>& Runtime::devices(Backend backend) {
    return open(backend).devices;
}

bool Runtime::is_open(Backend backend) const noexcept {
    return opened_[static_cast<std::size_t>(backend)].attempted;
}

const std::vector<std::string>& Runtime::files(Backend backend) {
    static NoDestructor<const std::vector<std::string>> none;
    return is_open(backend) ? open(backend).files : *none;
}

BackendReport Runtime::report(Backend backend) {
    const Opened& opened = open(backend);
    BackendReport report;
    report.backend = backend;
    report.name = to_string(backend);
    report.available = !opened.devices.empty();
    report.library = opened.library;
    report.reasons = opened.reasons;
    return report;
}

Error lose(DeviceState& device, const Error& error) {
    std::vector<DeviceState*> given_up;
    if (!device.is_lost()) {
        for (const auto& other : Runtime::get().devices(device.info().backend)) {
            if (other.get() != &device && other->info().platform == device.info().platform &&
                !other->is_lost() && other->native().is_given_up()) {
                given_up.push_back(other.get());
            }
        }
    }
    std::string message = error.what();
    for (const DeviceState* const other : given_up) { // The driver does not report which of them failed.
        message +=
            "; the driver gave up " + other->describe() + " with it, whose work may have been the cause";
    }
    Error kept = device.lose(error.with_message(std::move(message)));
    for (DeviceState* const other : given_up) {
        other->lose(error.with_message("The driver gave it up together with " + device.describe() + ": " +
                                       error.what()));
    }
    return kept;
}

} // namespace ferry::detail
