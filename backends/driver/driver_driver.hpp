// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "driver/driver_device.hpp"

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::driver {

template <class V>
class Driver final : public backend::Driver {
public:
    std::string library() const override {
        std::string text = api.library.text() + ", " + V::api_name + " " + dotted<V>(api.version);
        std::string off;
        for (const std::string& feature : api.features_off) {
            if (!feature.starts_with("either_")) {
                off += (off.empty() ? "" : ", ") + feature;
            }
        }
        return off.empty() ? text : text + " (too old for: " + off + ")";
    }
    std::vector<std::unique_ptr<backend::Device>> devices() override {
        std::vector<std::unique_ptr<backend::Device>> devices;
        backend::entering(backend::Opening::listing);
        for (int ordinal = 0; ordinal < device_count; ++ordinal) {
            typename V::Device device{};
            api.call(api.device_get, &device, ordinal);
            devices.push_back(std::make_unique<Device<V>>(api, compiler, ordinal, device));
        }
        return devices;
    }

    Api<V> api;
    Compiler<V> compiler;
    int device_count = 0;
};

/// Loads the functions. Returns false with a reason if a required one is missing.
template <class V>
bool load_symbols(Api<V>& api, std::vector<BackendReason>& reasons) {
    Missing missing =
        load(api.library, static_cast<typename V::SharedRows&>(api), static_cast<typename V::OwnRows&>(api));
    api.features_off = std::move(missing.features);
    if (missing.required.empty()) {
        return true;
    }
    std::string text = api.library.name() + " lacks " + std::to_string(missing.required.size()) +
                       (missing.required.size() == 1 ? " function" : " functions") + " that Ferry needs: ";
    for (std::size_t i = 0; i < missing.required.size(); ++i) {
        text += (i == 0 ? "" : ", ") + missing.required[i];
    }
    reasons.push_back({BackendProblem::wrong_library, text + ". " + V::too_old_hint});
    return false;
}

/// Queries the version. Returns false with a reason if it is too old.
template <class V>
bool check_version(Api<V>& api, std::vector<BackendReason>& reasons) {
    api.call(V::version_symbol(api), &api.version);
    if (api.version >= V::version_number.oldest) {
        if (api.version < V::captures_launches && api.capture_begin) {
            api.capture_begin.function = nullptr;
            api.features_off.emplace_back("graphs");
        }
        backend::plausible(V::backend, V::version_symbol(api).name, "as major version",
                           api.version / V::version_number.major, 0, backend::most_major_version);
        return true;
    }
    reasons.push_back({BackendProblem::wrong_library, api.library.name() + " is " + V::api_name + " " +
                                                          dotted<V>(api.version) + ". " + V::too_old_hint});
    return false;
}

/// A toolkit's stub library looks like the driver but does nothing.
template <class V>
bool refuse_stub(const Api<V>& api, bool is_stub, std::vector<BackendReason>& reasons) {
    if (is_stub) {
        reasons.push_back(
            {BackendProblem::stub_library,
             api.library.path() +
                 " is a toolkit's stub library, made for linking only. Install the driver, or name its "
                 "library in " +
                 V::library_variable + "."});
    }
    return is_stub;
}

/// Initialises the library and counts its devices. Returns 0 with a reason if there is none.
template <class V>
int count_devices(const Api<V>& api, std::vector<BackendReason>& reasons) {
    backend::entering(backend::Opening::initialisation, api.init.name);
    const int initialised = api.init(0);
    if (refuse_stub(api, initialised == result::stub_library, reasons)) {
        return 0;
    }
    // Some libraries fail to initialise without a device, others do not, so the count decides.
    int count = 0;
    backend::entering(backend::Opening::listing);
    const int counted = api.device_count(&count);
    if (counted == result::success && count != 0) {
        return backend::plausible(V::backend, api.device_count.name, "devices", count, 0,
                                  backend::most_devices);
    }
    std::string text = api.library.name() + " finds no device";
    if (initialised != result::success) {
        text += std::string(": ") + api.error(api.init.name, initialised).what();
    } else if (counted != result::success) {
        text += std::string(": ") + api.error(api.device_count.name, counted).what();
    }
    reasons.push_back({BackendProblem::no_device, text + ". " + V::no_device_hint});
    return 0;
}

/// The implementation of a backend's open().
template <class V>
std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons) {
    try {
        auto driver = std::make_unique<Driver<V>>();
        Api<V>& api = driver->api;
        api.library = backend::Library::open(V::library_names, libraries.*V::library_override,
                                             V::library_variable, reasons);
        if (!api.library ||
            refuse_stub(api, api.library.path().find("/stubs/") != std::string::npos, reasons) ||
            !load_symbols(api, reasons)) {
            return nullptr;
        }
        driver->device_count = count_devices(api, reasons);
        if (driver->device_count == 0 || !check_version(api, reasons)) {
            return nullptr;
        }
        V::open_compiler(api, libraries, driver->compiler);
        return driver;
    } catch (const std::exception& error) {
        reasons.push_back({BackendProblem::failed, error.what()});
        return nullptr;
    }
}

} // namespace ferry::driver
