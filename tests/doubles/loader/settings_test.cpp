// SPDX-License-Identifier: Apache-2.0
// Settings of libraries and of the host in ferry::Settings. They take effect, override the variable, and are
// named in the message.
#include "report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

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

/// A run-time compiler other than the machine's, with the names of its setting and its variable.
struct Runtime {
    std::string backend;
    std::string field;
    std::string variable;
    std::string library;
};
const std::vector<Runtime>& runtimes() {
    static const std::vector<Runtime> list{
        {"cuda", "cuda_library", "FERRY_CUDA_LIBRARY", path("FERRY_TEST_EMPTY")},
        {"hip", "hip_library", "FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")},
        {"opencl", "opencl_library", "FERRY_OPENCL_LIBRARY", path("FERRY_TEST_LACKING")}};
    return list;
}

} // namespace

TEST_CASE("a runtime that the program names is the one, whatever the variable says") {
    for (const Runtime& r : runtimes()) {
        // The only complete OpenCL loader is the machine's own, so a library that lacks functions shows which
        // one was opened.
        const bool opencl = r.backend == "opencl";
        check({{"FERRY_BACKEND", r.backend}, {r.variable, nowhere}}, {r.field + "=" + r.library},
              opencl ? std::vector<std::string>{"opencl: not available", r.library, "clCreateContext"}
                     : std::vector<std::string>{r.backend + ": available", "library: " + r.library});
    }
}

TEST_CASE("a runtime that the program names and that does not open: the message names the field") {
    for (const Runtime& r : runtimes()) {
        const auto result =
            check({{"FERRY_BACKEND", r.backend}, {r.variable, r.library}}, {r.field + "=" + nowhere},
                  {r.backend + ": not available", "Settings::" + r.field, nowhere, "No such file"});
        CHECK(!result.says(r.variable));
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
    // Without it the device still exists, and reports why it does not compile.
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
    // A working library is used.
    check(with(hip, "FERRY_HIPRTC_LIBRARY", nowhere), {"hiprtc_library=" + path("FERRY_TEST_HIPRTC7")},
          {"hip compiles: hipRTC", path("FERRY_TEST_HIPRTC7")});
}

TEST_CASE("an unusable host setting of the program: the message names the field") {
    const Variables host{{"FERRY_BACKEND", "host"}, {"FERRY_HOST_MODE", "fast"}, {"FERRY_HOST_SEED", "1"}};
    check(host, {"host_mode=wild"}, {"host: not available", "Settings::host_mode is \"wild\""});
    check(host, {"host_seed=many"}, {"host: not available", "Settings::host_seed is \"many\""});
}
