// SPDX-License-Identifier: Apache-2.0
#include "../support/child.hpp"
#include "base/settings.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <utility>

namespace settings_test {
namespace {

/// Each runs in a separate process, because settings belong to the process.
const support::ChildBody bodies[] = {
    {"settings are kept",
     [](const std::string&) {
         if (ferry::settings().backend || ferry::settings().sync) {
             return 1;
         }
         ferry::configure({.backend = "host", .sync = true});
         if (ferry::settings().backend != "host" || ferry::settings().sync != true ||
             ferry::settings().device) {
             return 2;
         }
         try {
             ferry::configure({.backend = "nonsense"});
             return 3;
         } catch (const ferry::Error& error) {
             if (error.code() != ferry::Code::invalid_argument || error.where().line() == 0) {
                 return 4;
             }
         }
         return ferry::settings().backend == "host" ? 0 : 5; // the rejected call changed nothing
     }},
    {"a library after its backend was opened",
     [](const std::string&) {
         ferry::configure({.backend = "opencl,host"});
         const ferry::Device before = ferry::devices().front();
         try {
             ferry::configure({.backend = "opencl,host", .opencl_library = "libOther.so"});
             return 1;
         } catch (const ferry::Error& error) {
             if (error.code() != ferry::Code::invalid_state ||
                 std::string(error.what()).find("libOther.so") == std::string::npos) {
                 return 2;
             }
         }
         // the CUDA backend was not opened
         ferry::configure({.backend = "host", .cuda_library = "libOther.so"});
         return ferry::devices().size() == 1 && !before.info().name.empty() ? 0 : 3;
     }},
    {"devices stay valid",
     [](const std::string&) {
         const ferry::Device device = ferry::find_device("host:0");
         ferry::configure({.backend = "host"});
         ferry::Queue queue{device};
         ferry::Buffer<int> buffer{device, 10};
         queue.fill(buffer, 3);
         return queue.read(buffer).at(9) == 3 && ferry::find_device("host:0") == device ? 0 : 1;
     }},
    {"switches",
     [](const std::string&) {
         const ferry::Device device = ferry::find_device("host:0");
         setenv("FERRY_SYNC", "perhaps", 1);
         setenv("FERRY_POOL", "perhaps", 1);
         const auto refuses = [](const char* variable, const auto& call) {
             try {
                 call();
             } catch (const ferry::Error& error) {
                 const std::string text = error.what();
                 return error.code() == ferry::Code::invalid_argument &&
                        text.find(variable) != std::string::npos &&
                        text.find("\"perhaps\"; the values are on, 1, off and 0") != std::string::npos;
             }
             return false;
         };
         if (!refuses("FERRY_SYNC", [&] { const ferry::Queue queue{device}; }) || !refuses("FERRY_POOL", [&] {
                 const ferry::Buffer<int> buffer{device, 10};
             })) {
             return 1;
         }
         setenv("FERRY_POOL", " Off", 1);
         const ferry::Buffer<int> buffer{device, 10};
         if (device.pool().enabled()) {
             return 2;
         }
         for (const auto& [word, on] : {std::pair{"on", true}, {"1", true}, {"OFF", false}, {"0", false}}) {
             setenv("FERRY_SYNC", word, 1);
             if (ferry::detail::sync_setting() != on) {
                 return 3;
             }
         }
         return 0;
     }},
    {"sync",
     [](const std::string&) {
         ferry::configure({.backend = "host", .sync = true});
         ferry::Queue queue{ferry::default_device()};
         ferry::Buffer<int> buffer{queue.device(), 1000};
         for (int i = 0; i < 100; ++i) {
             queue.fill(buffer, i);
             if (!queue.idle()) {
                 return 1;
             }
         }
         return queue.read(buffer).at(999) == 99 ? 0 : 2;
     }},
};

void check(const std::string& body, const std::string& variable = "", const std::string& value = "") {
    support::Child child;
    child.arguments = {"--child=" + body};
    child.environment = {{"FERRY_BACKEND", std::nullopt}, {"FERRY_DEVICE", std::nullopt}};
    if (!variable.empty()) {
        child.environment.emplace_back(variable, value);
    }
    const support::ChildResult result = support::run(child);
    INFO(result.describe());
    CHECK(result.exited(0));
}

} // namespace

TEST_CASE("settings: they are kept, and a refused one changes nothing") {
    check("settings are kept");
}
TEST_CASE("settings: a library cannot be set once its backend is open") {
    check("a library after its backend was opened");
}
TEST_CASE("settings: devices already handed out stay valid") {
    check("devices stay valid");
}
TEST_CASE("settings: FERRY_SYNC and FERRY_POOL are on, off or refused") {
    check("switches");
}
TEST_CASE("settings: sync waits for every command") {
    check("sync");
}

} // namespace settings_test
