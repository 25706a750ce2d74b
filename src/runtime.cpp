// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include "lifetime.hpp"

#include <exception>
#include <utility>

namespace ferry::detail {

Runtime& Runtime::get() {
    static Runtime* const runtime = new Runtime;
    return *runtime;
}

Runtime::Opened& Runtime::open(Backend backend) {
    Opened& opened = opened_[static_cast<std::size_t>(backend)];
    std::call_once(opened.once, [&] {
        opened.attempted = true;
        try {
            const backend::Row& row = backend::rows[static_cast<std::size_t>(backend)];
            opened.driver = row.open(library_settings(), opened.reasons);
            if (opened.driver == nullptr) {
                return;
            }
            opened.library = opened.driver->library();
            for (auto& device : opened.driver->devices()) {
                opened.devices.push_back(std::make_unique<DeviceState>(std::move(device)));
            }
            if (opened.devices.empty() && opened.reasons.empty()) {
                opened.reasons.push_back(opened.library + " has no device");
            }
        } catch (const std::exception& error) {
            opened.devices.clear();
            opened.reasons.emplace_back(error.what());
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

} // namespace ferry::detail
