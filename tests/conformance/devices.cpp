// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include "exclusions.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

namespace conformance {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// The value "test|device" names the one excluded run that this process must do anyway; see exclusions.hpp.
std::string excluded_run() {
    const char* value = std::getenv("FERRY_TEST_EXCLUDED");
    return value != nullptr ? value : "";
}

template <class Call>
void run_subcase(const char* test, const std::string& where, const Exclusion* exclusion, Call call) {
    const std::string only = excluded_run();
    const std::size_t bar = only.find('|');
    if (only.empty() ? exclusion != nullptr
                     : only.substr(0, bar) != test || where.find(only.substr(bar + 1)) == std::string::npos) {
        return;
    }
    SUBCASE(where.c_str()) {
        seed_random(std::string(test) + "|" + where);
        try {
            call();
        } catch (const doctest::detail::TestFailureException&) { // already counted
        } catch (const ferry::Error& error) {
            if (error.code() == ferry::Code::unsupported) {
                std::puts("FERRY-UNSUPPORTED");
            }
            FAIL_CHECK("unexpected ", std::string(ferry::to_string(error.code())),
                       " error: ", std::string(error.what()), " (at ", std::string(error.where().file_name()),
                       ":", error.where().line(), ")");
        } catch (const std::exception& error) {
            FAIL_CHECK("unexpected exception: ", std::string(error.what()));
        }
    }
}

} // namespace

const std::vector<ferry::Device>& test_devices() {
    static const std::vector<ferry::Device> devices = [] {
        const char* chosen = std::getenv("FERRY_DEVICE");
        return chosen != nullptr && *chosen != '\0' ? std::vector{ferry::default_device()}
                                                    : ferry::all_devices();
    }();
    return devices;
}

std::vector<ferry::Device> devices_other_than(const ferry::Device& device) {
    std::vector<ferry::Device> result;
    for (const ferry::Device& other : test_devices()) {
        if (!(other == device)) {
            result.push_back(other);
        }
    }
    return result;
}

bool matches(const ferry::Device& device, std::string_view pattern) {
    const ferry::DeviceInfo& info = device.info();
    const std::string wanted = lower(pattern);
    const std::string backend(ferry::to_string(info.backend));
    const std::string id = device.id();
    const auto holds = [&](const std::string& text) { return lower(text).find(wanted) != std::string::npos; };
    return wanted == "*" || holds(id) || holds(info.name) || holds(info.platform) || holds(backend);
}

bool announce_devices() {
    try {
        for (const ferry::Device& device : test_devices()) {
            std::printf("Device %s: %s%s%s (%s)\n", device.id().c_str(), device.info().name.c_str(),
                        device.info().platform.empty() ? "" : ", ", device.info().platform.c_str(),
                        // the version of the strict host contains its seed
                        device.info().driver_version.c_str());
        }
    } catch (const ferry::Error& error) {
        std::printf("No device to test: %s\n", error.what());
        return false;
    }
    std::printf("Seed: FERRY_TEST_SEED=%llu\n", static_cast<unsigned long long>(process_seed()));
    std::fflush(stdout);
    const auto& devices = test_devices();
    const char* expected = std::getenv("FERRY_EXPECT_DEVICE");
    if (devices.empty()) {
        std::puts("There is no device to test.");
        return false;
    }
    if (expected != nullptr && std::none_of(devices.begin(), devices.end(), [&](const ferry::Device& device) {
            return matches(device, expected);
        })) {
        std::printf(
            "FERRY_EXPECT_DEVICE=\"%s\": none of the devices above holds that in its id, name or platform.\n",
            expected);
        return false;
    }
    return true;
}

void on_every_device(const char* test, Body body) {
    for (const ferry::Device& device : test_devices()) {
        run_subcase(test, device.id(), find_exclusion(test, {device}), [&] { body(device); });
    }
}

void on_every_pair(const char* test, PairBody body) {
    for (const ferry::Device& from : test_devices()) {
        for (const ferry::Device& to : devices_other_than(from)) {
            run_subcase(test, from.id() + " -> " + to.id(), find_exclusion(test, {from, to}),
                        [&] { body(from, to); });
        }
    }
}

} // namespace conformance
