// SPDX-License-Identifier: Apache-2.0
// What ferry::Settings says of libraries and of the host: it takes effect, wins over the variable, and is
// named in the message.
#include "report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace loader;

namespace {

const std::string nowhere = "/nowhere/libnothing.so";

support::ChildResult check(const Variables& variables, const std::vector<std::string>& settings,
                           const std::vector<std::string>& texts) {
    support::ChildResult result = report(variables, settings);
    INFO(result.describe());
    CHECK(result.exited(0));
    for (const std::string& text : texts) {
        CHECK_MESSAGE(result.says(text), "it does not say \"", text, "\"");
    }
    return result;
}

} // namespace

TEST_CASE("a runtime that the program names is the one, whatever the variable says") {
    struct Case {
        const char* backend;
        const char* field;
        const char* variable;
        const char* library;
    };
    for (const Case& c : {Case{"cuda", "cuda_library", "FERRY_CUDA_LIBRARY", "FERRY_TEST_EMPTY"},
                          Case{"hip", "hip_library", "FERRY_HIP_LIBRARY", "FERRY_TEST_HIP"}}) {
        const std::string backend = c.backend;
        const std::string field = c.field;
        const std::string library = path(c.library);
        check({{"FERRY_BACKEND", backend}, {c.variable, nowhere}}, {field + "=" + library},
              {backend + ": available", "library: " + library});
    }
    // An OpenCL loader that is good is the machine's own; one that lacks functions shows as well which was
    // opened.
    check({{"FERRY_BACKEND", "opencl"}, {"FERRY_OPENCL_LIBRARY", nowhere}},
          {"opencl_library=" + path("FERRY_TEST_LACKING")},
          {"opencl: not available", path("FERRY_TEST_LACKING"), "clCreateContext"});
}

TEST_CASE("a runtime that the program names and that does not open: the message names the field") {
    struct Case {
        const char* backend;
        const char* field;
        const char* variable;
        const char* library;
    };
    for (const Case& c : {Case{"cuda", "cuda_library", "FERRY_CUDA_LIBRARY", "FERRY_TEST_EMPTY"},
                          Case{"hip", "hip_library", "FERRY_HIP_LIBRARY", "FERRY_TEST_HIP"},
                          Case{"opencl", "opencl_library", "FERRY_OPENCL_LIBRARY", "FERRY_TEST_LACKING"}}) {
        const std::string field = c.field;
        const auto result = check(
            {{"FERRY_BACKEND", c.backend}, {c.variable, path(c.library)}}, {field + "=" + nowhere},
            {std::string(c.backend) + ": not available", "Settings::" + field, nowhere, "No such file"});
        CHECK(!result.says(c.variable));
    }
}

TEST_CASE("a run-time compiler that is named, by the program or by its variable") {
    const std::string lacking = path("FERRY_TEST_LACKING");
    const Variables cuda{{"FERRY_BACKEND", "cuda"}, {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_EMPTY")}};
    const Variables hip{{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")}};
    const auto with = [](Variables variables, const char* variable, const std::string& value) {
        variables.emplace_back(variable, value);
        return variables;
    };
    // Without it the device is there all the same, and says why it does not compile.
    check(with(cuda, "FERRY_NVRTC_LIBRARY", nowhere), {},
          {"cuda: available", "cuda does not compile: ", "FERRY_NVRTC_LIBRARY", nowhere, "No such file"});
    check(with(hip, "FERRY_HIPRTC_LIBRARY", nowhere), {},
          {"hip: available", "hip does not compile: ", "FERRY_HIPRTC_LIBRARY", nowhere, "No such file"});
    check(with(cuda, "FERRY_NVRTC_LIBRARY", lacking), {}, {"does not compile: ", lacking, "nvrtc"});
    check(with(hip, "FERRY_HIPRTC_LIBRARY", lacking), {}, {"does not compile: ", lacking, "hiprtc"});
    check(with(cuda, "FERRY_NVRTC_LIBRARY", lacking), {"nvrtc_library=" + nowhere},
          {"cuda: available", "cuda does not compile: ", "Settings::nvrtc_library", nowhere});
    check(with(hip, "FERRY_HIPRTC_LIBRARY", lacking), {"hiprtc_library=" + nowhere},
          {"hip: available", "hip does not compile: ", "Settings::hiprtc_library", nowhere});
    // And one that is good is used.
    check(with(hip, "FERRY_HIPRTC_LIBRARY", nowhere), {"hiprtc_library=" + path("FERRY_TEST_HIPRTC7")},
          {"hip compiles: hipRTC", path("FERRY_TEST_HIPRTC7")});
}

TEST_CASE("what the host is to be, said by the program: the message names the field") {
    const Variables host{{"FERRY_BACKEND", "host"}, {"FERRY_HOST_MODE", "fast"}, {"FERRY_HOST_SEED", "1"}};
    check(host, {"host_mode=wild"}, {"host: not available", "Settings::host_mode is \"wild\""});
    check(host, {"host_seed=many"}, {"host: not available", "Settings::host_seed is \"many\""});
}
