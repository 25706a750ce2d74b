// SPDX-License-Identifier: Apache-2.0
#include "base/settings.hpp"

#include "base/decimal.hpp"
#include "base/no_destructor.hpp"
#include "base/text.hpp"

#include <ferry/error.hpp>

#include <cstdlib>
#include <mutex>
#include <utility>

namespace ferry {
namespace detail {
namespace {

struct Store {
    std::mutex mutex;
    Settings settings;
};

Store& store() {
    static detail::NoDestructor<Store> s;
    return *s;
}

std::string environment(const char* name) {
    const char* value = secure_getenv(name);
    return value != nullptr ? value : "";
}

Setting pick(std::optional<std::string> Settings::*field, const char* field_name, const char* variable) {
    {
        Store& s = store();
        const std::lock_guard lock(s.mutex);
        if (const auto& value = s.settings.*field) {
            return {*value, field_name};
        }
    }
    std::string value = environment(variable);
    if (value.empty()) {
        return {};
    }
    return {std::move(value), variable};
}

bool parse_switch(const char* variable, bool otherwise) {
    const std::string value = environment(variable);
    const std::string word = lower(trim(value));
    if (word.empty()) {
        return otherwise;
    }
    const bool on = word == "on" || word == "1";
    if (!on && word != "off" && word != "0") {
        throw Error(Code::invalid_argument,
                    std::string(variable) + " is \"" + value + "\"; the values are on, 1, off and 0",
                    SourceLocation());
    }
    return on;
}

} // namespace

Setting backend_setting() {
    return pick(&Settings::backend, "Settings::backend", "FERRY_BACKEND");
}
Setting device_setting() {
    return pick(&Settings::device, "Settings::device", "FERRY_DEVICE");
}

bool sync_setting() {
    {
        Store& s = store();
        const std::lock_guard lock(s.mutex);
        if (s.settings.sync) {
            return *s.settings.sync;
        }
    }
    return parse_switch("FERRY_SYNC", false);
}

Staging parse_staging(const Setting& setting, SourceLocation where) {
    const std::string word = lower(trim(setting.value));
    if (word.empty() || word == "auto") {
        return Staging::automatic;
    }
    if (word == "on" || word == "off") {
        return word == "on" ? Staging::on : Staging::off;
    }
    throw Error(Code::invalid_argument,
                setting.source + " is \"" + setting.value + "\"; the values are auto, on and off" +
                    did_you_mean(word, {"auto", "on", "off"}),
                where);
}

Staging staging_setting(SourceLocation where) {
    return parse_staging(pick(&Settings::staging, "Settings::staging", "FERRY_STAGING"), where);
}

WaitPolicy wait_setting() {
    {
        Store& s = store();
        const std::lock_guard lock(s.mutex);
        if (s.settings.wait) {
            return *s.settings.wait;
        }
    }
    const std::string value = environment("FERRY_WAIT");
    const std::string name = lower(trim(value));
    if (name.empty() || name == "auto") {
        return WaitPolicy::automatic;
    }
    if (name == "spin") {
        return WaitPolicy::spin;
    }
    if (name == "yield") {
        return WaitPolicy::yield;
    }
    if (name == "block") {
        return WaitPolicy::block;
    }
    throw Error(Code::invalid_argument,
                "FERRY_WAIT is \"" + value +
                    "\", which is no way to wait; it takes auto, spin, yield or block" +
                    did_you_mean(name, {"auto", "spin", "yield", "block"}),
                SourceLocation());
}

namespace {

/// A variable that turns a test off or repeats it. E: an enum with the values automatic, off and fresh.
template <class E>
E parse_repetition(const char* variable, SourceLocation where) {
    const std::string value = environment(variable);
    const std::string word = lower(trim(value));
    if (word.empty() || word == "auto") {
        return E::automatic;
    }
    if (word == "off" || word == "fresh") {
        return word == "off" ? E::off : E::fresh;
    }
    throw Error(Code::invalid_argument,
                std::string(variable) + " is \"" + value + "\"; the values are auto, off and fresh" +
                    did_you_mean(word, {"auto", "off", "fresh"}),
                where);
}

/// A number of milliseconds from `least` to 600000.
std::chrono::milliseconds parse_limit(const char* variable, int standard, int least) {
    constexpr int most = 600'000;
    const std::string value = environment(variable);
    const std::string word = trim(value);
    const std::optional<int> limit = word.empty() ? standard : parse_number<int>(word);
    if (!limit || (!word.empty() && (*limit < least || *limit > most))) {
        throw Error(Code::invalid_argument,
                    std::string(variable) + " is \"" + value +
                        "\"; it takes a whole number of milliseconds from " + std::to_string(least) + " to " +
                        std::to_string(most),
                    SourceLocation());
    }
    return std::chrono::milliseconds(*limit);
}

} // namespace

Calibrating calibration_setting(SourceLocation where) {
    return parse_repetition<Calibrating>("FERRY_CALIBRATION", where);
}

Probing probe_setting() {
    return parse_repetition<Probing>("FERRY_PROBE", SourceLocation());
}

std::chrono::milliseconds probe_limit() {
    return parse_limit("FERRY_PROBE_LIMIT", 5000, 100);
}

std::chrono::milliseconds calibration_limit() {
    return parse_limit("FERRY_CALIBRATION_LIMIT", 2000, 500);
}

bool parse_check(const Setting& setting, SourceLocation where) {
    if (!setting.set() || setting.value == "none") {
        return false;
    }
    if (setting.value != "races") {
        throw Error(Code::invalid_argument,
                    setting.source + " is \"" + setting.value + "\", but must be races or none" +
                        did_you_mean(setting.value, {"races", "none"}),
                    where);
    }
    return true;
}

bool races_setting() {
    return parse_check(pick(&Settings::check, "Settings::check", "FERRY_CHECK"), SourceLocation{});
}

bool pool_setting(bool otherwise) {
    {
        Store& s = store();
        const std::lock_guard lock(s.mutex);
        if (s.settings.pool) {
            return *s.settings.pool;
        }
    }
    return parse_switch("FERRY_POOL", otherwise);
}

Setting memory_debug_setting() {
    return pick(&Settings::memory_debug, "Settings::memory_debug", "FERRY_MEMORY_DEBUG");
}

backend::Libraries library_settings() {
    return {pick(&Settings::cuda_library, "Settings::cuda_library", "FERRY_CUDA_LIBRARY"),
            pick(&Settings::nvrtc_library, "Settings::nvrtc_library", "FERRY_NVRTC_LIBRARY"),
            pick(&Settings::hip_library, "Settings::hip_library", "FERRY_HIP_LIBRARY"),
            pick(&Settings::hiprtc_library, "Settings::hiprtc_library", "FERRY_HIPRTC_LIBRARY"),
            pick(&Settings::opencl_library, "Settings::opencl_library", "FERRY_OPENCL_LIBRARY"),
            pick(&Settings::vulkan_library, "Settings::vulkan_library", "FERRY_VULKAN_LIBRARY"),
            pick(&Settings::host_mode, "Settings::host_mode", "FERRY_HOST_MODE"),
            pick(&Settings::host_seed, "Settings::host_seed", "FERRY_HOST_SEED")};
}

void store_settings(Settings settings) {
    Store& s = store();
    const std::lock_guard lock(s.mutex);
    s.settings = std::move(settings);
}

} // namespace detail

Settings settings() {
    detail::Store& s = detail::store();
    const std::lock_guard lock(s.mutex);
    return s.settings;
}

} // namespace ferry
