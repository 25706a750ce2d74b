// SPDX-License-Identifier: Apache-2.0
#include "device/allowed_backends.hpp"

#include "base/settings.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "device/runtime.hpp"

#include <ferry/error.hpp>
#include <ferry/settings.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace ferry {
namespace detail {
namespace {

Allowed parse_backends(const Setting& setting, SourceLocation where) {
    Allowed allowed;
    allowed.setting = setting;
    const auto add = [&](Backend backend) {
        if (!allowed.contains(backend)) {
            allowed.backends.push_back(backend);
        }
    };
    const auto add_all = [&] {
        for (const backend::Row& row : backend::rows) {
            add(row.backend);
        }
    };
    if (!setting.set()) {
        add_all();
        return allowed;
    }
    allowed.strict = true;
    for (const std::string& word : split(setting.value, ',')) {
        const std::string name = lower(trim(word));
        if (name == "auto") {
            add_all();
            allowed.strict = false;
        } else if (const auto backend = backend_from_name(name)) {
            add(*backend);
        } else {
            throw Error(Code::invalid_argument,
                        setting.source + " is \"" + setting.value + "\", and \"" + trim(word) +
                            "\" is not a backend; the names are cuda, hip, opencl, vulkan, host and auto, "
                            "one or several separated by commas" +
                            did_you_mean(name, {"cuda", "hip", "opencl", "vulkan", "host", "auto"}),
                        where);
        }
    }
    return allowed;
}

} // namespace

bool Allowed::contains(Backend backend) const noexcept {
    return std::find(backends.begin(), backends.end(), backend) != backends.end();
}

Allowed allowed_backends(SourceLocation where) {
    return parse_backends(backend_setting(), where);
}

} // namespace detail

std::vector<Backend> named_backends(SourceLocation where) {
    detail::Allowed allowed = detail::allowed_backends(where);
    return allowed.strict ? std::move(allowed.backends) : std::vector<Backend>();
}

void configure(Settings settings, SourceLocation where) {
    using namespace detail;
    if (settings.backend) {
        parse_backends({*settings.backend, "Settings::backend"}, where);
    }
    if (settings.staging) {
        parse_staging({*settings.staging, "Settings::staging"}, where);
    }
    if (settings.check) {
        parse_check({*settings.check, "Settings::check"}, where);
    }
    const Settings before = ferry::settings();
    const auto check = [&](std::optional<std::string> Settings::*field, const char* name, Backend backend) {
        if (settings.*field && settings.*field != before.*field && Runtime::get().is_open(backend)) {
            throw Error(Code::invalid_state,
                        std::string("Settings::") + name + " is \"" + *(settings.*field) +
                            "\", but the backend " + std::string(to_string(backend)) +
                            " has been opened already; set this before the first device is asked for",
                        where);
        }
    };
    check(&Settings::cuda_library, "cuda_library", Backend::cuda);
    check(&Settings::nvrtc_library, "nvrtc_library", Backend::cuda);
    check(&Settings::hip_library, "hip_library", Backend::hip);
    check(&Settings::hiprtc_library, "hiprtc_library", Backend::hip);
    check(&Settings::opencl_library, "opencl_library", Backend::opencl);
    check(&Settings::vulkan_library, "vulkan_library", Backend::vulkan);
    check(&Settings::host_mode, "host_mode", Backend::host);
    check(&Settings::host_seed, "host_seed", Backend::host);
    store_settings(std::move(settings));
    race::forget_setting();
}

} // namespace ferry
