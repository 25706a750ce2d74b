// SPDX-License-Identifier: Apache-2.0
// FERRY_BACKEND and FERRY_DEVICE, and the same choices through the API. A process opens a backend once, so
// each case runs in a separate process.
#include "../support/child.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace selection_test {
namespace {

using Environment = std::vector<std::pair<std::string, std::optional<std::string>>>;

/// Prints the lines of `call`, or the code and the message of its error.
int print(const std::function<void()>& call) {
    try {
        call();
        return 0;
    } catch (const ferry::Error& error) {
        std::printf("%s: %s\n", std::string(ferry::to_string(error.code())).c_str(), error.what());
        return 3;
    }
}

void print_libraries(const char* when) {
    for (const char* library : {"libcuda.", "libnvrtc", "libamdhip64", "libhiprtc", "libOpenCL", "libpocl"}) {
        const auto mapped = support::mapped_libraries();
        if (std::any_of(mapped.begin(), mapped.end(),
                        [&](const std::string& name) { return name.rfind(library, 0) == 0; })) {
            std::printf("%s %s\n", when, library);
        }
    }
}

const support::ChildBody bodies[] = {
    {"devices",
     [](const std::string&) {
         return print([] {
             for (const ferry::Device& device : ferry::devices()) {
                 std::printf("device %s\n", device.id().c_str());
             }
         });
     }},
    {"default",
     [](const std::string&) {
         return print([] { std::printf("device %s\n", ferry::default_device().id().c_str()); });
     }},
    {"find",
     [](const std::string& selector) {
         return print([&] { std::printf("device %s\n", ferry::find_device(selector).id().c_str()); });
     }},
    {"backends",
     [](const std::string&) {
         return print([] {
             for (const ferry::BackendReport& report : ferry::backends()) {
                 std::printf("%s %s\n", report.name.c_str(),
                             report.available ? "available" : "not available");
                 for (const ferry::BackendReason& reason : report.reasons) {
                     std::printf("reason of %s: %s\n", report.name.c_str(), reason.text.c_str());
                 }
             }
         });
     }},
    {"libraries",
     [](const std::string&) {
         print_libraries("before");
         const int status = print([] { (void)ferry::devices(); });
         print_libraries("after");
         return status;
     }},
    {"configured",
     [](const std::string& backend) {
         return print([&] {
             ferry::configure({.backend = backend});
             std::printf("device %s\n", ferry::default_device().id().c_str());
         });
     }},
    {"configured device",
     [](const std::string& device) {
         return print([&] {
             ferry::configure({.device = device});
             std::printf("device %s\n", ferry::default_device().id().c_str());
         });
     }},
};

support::ChildResult child(const std::string& body, Environment environment) {
    for (const char* name : {"FERRY_BACKEND", "FERRY_DEVICE", "FERRY_HIP_LIBRARY", "FERRY_CUDA_LIBRARY",
                             "FERRY_OPENCL_LIBRARY"}) {
        if (std::none_of(environment.begin(), environment.end(),
                         [&](const auto& set) { return set.first == name; })) {
            environment.emplace_back(name, std::nullopt);
        }
    }
    support::Child run;
    run.arguments = {"--child=" + body};
    run.environment = std::move(environment);
    return support::run(run);
}

void check_says(const support::ChildResult& result, int status, const std::vector<std::string>& texts) {
    INFO(result.describe());
    CHECK(result.exited(status));
    for (const std::string& text : texts) {
        CHECK_MESSAGE(result.says(text), "it does not say \"", text, "\"");
    }
}

} // namespace

TEST_CASE("selection: an unknown backend is refused, and the valid names are listed") {
    for (const char* body : {"devices", "default", "backends", "find|0"}) {
        check_says(
            child(body, {{"FERRY_BACKEND", "nonsense"}}), 3,
            {"invalid_argument: ", "FERRY_BACKEND", "nonsense", "cuda", "hip", "opencl", "host", "auto"});
    }
    check_says(child("devices", {{"FERRY_BACKEND", "host,nonsense"}}), 3, {"invalid_argument: ", "nonsense"});
    check_says(child("devices", {{"FERRY_BACKEND", "host,"}}), 3, {"invalid_argument: ", "FERRY_BACKEND"});
    check_says(child("devices", {{"FERRY_BACKEND", "cuda;hip"}}), 3, {"invalid_argument: ", "cuda;hip"});
}

TEST_CASE("selection: the host is always available, and alone if only the host is requested") {
    const auto result = child("devices", {{"FERRY_BACKEND", "host"}});
    check_says(result, 0, {"device host:0"});
    CHECK(result.output == "device host:0\n");
    check_says(child("devices", {}), 0, {"device host:0"});
    check_says(child("devices", {{"FERRY_BACKEND", "auto"}}), 0, {"device host:0"});
    // an empty value counts as not set
    check_says(child("devices", {{"FERRY_BACKEND", ""}}), 0, {"device host:0"});
    check_says(child("default", {{"FERRY_BACKEND", " Host "}}), 0, {"device host:0"});
}

TEST_CASE("selection: an unavailable backend is refused with the step that failed") {
    const std::string nowhere = "/nowhere/libnothing.so";
    const std::pair<const char*, const char*> backends[] = {{"cuda", "FERRY_CUDA_LIBRARY"},
                                                            {"hip", "FERRY_HIP_LIBRARY"},
                                                            {"opencl", "FERRY_OPENCL_LIBRARY"},
                                                            {"vulkan", "FERRY_VULKAN_LIBRARY"}};
    for (const auto& named : backends) {
        const std::string backend = named.first;
        const std::string variable = named.second;
        INFO("backend ", backend);
        check_says(child("default", {{"FERRY_BACKEND", backend}, {variable, nowhere}}), 3,
                   {"unavailable: ", backend, nowhere, "No such file"});
        check_says(child("backends", {{"FERRY_BACKEND", backend}, {variable, nowhere}}), 0,
                   {backend + " not available", "reason of " + backend, nowhere});
    }
    check_says(child("default", {{"FERRY_BACKEND", "cuda,hip"},
                                 {"FERRY_CUDA_LIBRARY", nowhere},
                                 {"FERRY_HIP_LIBRARY", nowhere + "2"}}),
               3, {"unavailable: ", "cuda", "hip", nowhere, nowhere + "2"});
}

TEST_CASE("selection: a list is an order of preference, and strict") {
    const std::string nowhere = "/nowhere/libnothing.so";
    check_says(child("default", {{"FERRY_BACKEND", "cuda,host"}, {"FERRY_CUDA_LIBRARY", nowhere}}), 0,
               {"device host:0"});
    check_says(child("default", {{"FERRY_BACKEND", "host,cuda"}}), 0, {"device host:0"});
    const auto reports = child("backends", {{"FERRY_BACKEND", "host"}});
    check_says(reports, 0, {"host available", "cuda not available", "opencl not available"});
    check_says(reports, 0, {"reason of opencl: ", "reason of cuda: ", "reason of hip: ", "FERRY_BACKEND"});
}

TEST_CASE("selection: no library is opened that was not asked for") {
    const std::pair<const char*, std::vector<std::string>> cases[] = {
        {"host", {}},
        {"opencl", {"libOpenCL", "libpocl", "libcuda."}}, // NVIDIA's OpenCL driver needs libcuda itself
        {"cuda", {"libcuda.", "libnvrtc"}},
        {"hip", {"libamdhip64", "libhiprtc"}},
    };
    for (const auto& named : cases) {
        const std::string backend = named.first;
        const std::vector<std::string>& allowed = named.second;
        const auto result = child("libraries", {{"FERRY_BACKEND", backend}});
        INFO("FERRY_BACKEND=", backend, ": ", result.describe());
        CHECK((result.exited(0) || result.exited(3)));
        CHECK_FALSE(result.says("before "));
        for (const char* library :
             {"libcuda.", "libnvrtc", "libamdhip64", "libhiprtc", "libOpenCL", "libpocl"}) {
            if (std::find(allowed.begin(), allowed.end(), library) == allowed.end()) {
                CHECK_FALSE(result.says(std::string("after ") + library));
            }
        }
    }
}

TEST_CASE("selection: FERRY_DEVICE takes an index, an id and a part of a name, and is strict") {
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "0"}}), 0, {"device host:0"});
    check_says(child("default", {{"FERRY_DEVICE", "host:0"}}), 0, {"device host:0"});
    check_says(child("default", {{"FERRY_DEVICE", "host"}}), 0, {"device host:0"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "7"}}), 3,
               {"unavailable: ", "FERRY_DEVICE", "7", "host:0"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "host:3"}}), 3,
               {"unavailable: ", "FERRY_DEVICE", "host:3", "host:0"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "opencl:0"}}), 3,
               {"unavailable: ", "FERRY_DEVICE", "opencl", "FERRY_BACKEND"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "no such device"}}), 3,
               {"unavailable: ", "no such device", "host:0"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "-1"}}), 3,
               {"unavailable: ", "-1"});
    check_says(child("default", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "99999999999999999999999"}}), 3,
               {"unavailable: ", "99999999999999999999999"});
    check_says(child("devices", {{"FERRY_BACKEND", "host"}, {"FERRY_DEVICE", "7"}}), 0, {"device host:0"});
}

TEST_CASE("selection: the API wins over the environment") {
    check_says(child("configured|host", {{"FERRY_BACKEND", "nonsense"}}), 0, {"device host:0"});
    check_says(child("configured|nonsense", {{"FERRY_BACKEND", "host"}}), 3,
               {"invalid_argument: ", "Settings::backend", "nonsense"});
    check_says(child("configured device|host:0", {{"FERRY_DEVICE", "nonsense"}}), 0, {"device host:0"});
    check_says(child("configured device|host:9", {{"FERRY_DEVICE", "host:0"}}), 3,
               {"unavailable: ", "Settings::device", "host:9"});
    check_says(child("find|host:0", {{"FERRY_DEVICE", "nonsense"}}), 0, {"device host:0"});
}

} // namespace selection_test
