// SPDX-License-Identifier: Apache-2.0
// The libraries that the loader is asked for, from its own log (LD_DEBUG). The log also shows libraries that
// could not be opened or were closed again.
#include "report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace loader;

namespace {

using Names = std::vector<std::string>;

Names opened(Variables variables) {
    variables.emplace_back("LD_DEBUG", "files");
    const auto result = report(variables);
    INFO(result.describe());
    CHECK(result.exited(0));
    return loader::opened(result.output);
}

bool holds(const Names& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

const std::string nowhere = "/nowhere/libnothing.so";
const std::string nowhere_else = "/nowhere/libneither.so";
const std::string not_there = "/nowhere/libnone.so";

} // namespace

TEST_CASE("without a variable the usual names are asked for: the later tests would see them") {
    CHECK(holds(opened({{"FERRY_BACKEND", "cuda"}}), "libcuda.so.1"));
    CHECK(holds(opened({{"FERRY_BACKEND", "hip"}}), "libamdhip64.so.7"));
    CHECK(holds(opened({{"FERRY_BACKEND", "opencl"}}), "libOpenCL.so.1"));
    CHECK(holds(opened({{"FERRY_BACKEND", "vulkan"}}), "libvulkan.so.1"));
    CHECK(holds(opened({{"FERRY_BACKEND", "cuda"}, {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_EMPTY")}}),
                "libnvrtc.so.13"));
    CHECK(holds(opened({{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP7")}}),
                path("FERRY_TEST_HIPRTC7")));
}

TEST_CASE("a library that is named is the only one that is asked for, there or not") {
    struct Case {
        const char* backend;
        const char* variable;
        const char* library;
    };
    for (const Case& c : {Case{"cuda", "FERRY_CUDA_LIBRARY", "FERRY_TEST_SILENT"},
                          Case{"hip", "FERRY_HIP_LIBRARY", "FERRY_TEST_HIP"},
                          Case{"opencl", "FERRY_OPENCL_LIBRARY", "FERRY_TEST_LACKING"},
                          Case{"vulkan", "FERRY_VULKAN_LIBRARY", "FERRY_TEST_LACKING"}}) {
        CAPTURE(c.backend);
        for (const std::string& name : {path(c.library), nowhere}) {
            CHECK(opened({{"FERRY_BACKEND", c.backend}, {c.variable, name}}) == Names{name});
        }
    }
}

TEST_CASE("so is a compiler that is named") {
    for (const std::string& name : {path("FERRY_TEST_LACKING"), nowhere}) {
        const std::string cuda = path("FERRY_TEST_EMPTY");
        CHECK(opened(
                  {{"FERRY_BACKEND", "cuda"}, {"FERRY_CUDA_LIBRARY", cuda}, {"FERRY_NVRTC_LIBRARY", name}}) ==
              Names{cuda, name});
        for (const char* runtime : {"FERRY_TEST_HIP", "FERRY_TEST_HIP7"}) {
            const std::string hip = path(runtime);
            CHECK(opened({{"FERRY_BACKEND", "hip"},
                          {"FERRY_HIP_LIBRARY", hip},
                          {"FERRY_HIPRTC_LIBRARY", name}}) == Names{hip, name});
        }
    }
}

TEST_CASE("with every backend allowed: those that are named, in the order of the backends, and no others") {
    const Names expected{path("FERRY_TEST_SILENT"), nowhere, nowhere_else, not_there};
    CHECK(opened({{"FERRY_CUDA_LIBRARY", expected[0]},
                  {"FERRY_HIP_LIBRARY", expected[1]},
                  {"FERRY_OPENCL_LIBRARY", expected[2]},
                  {"FERRY_VULKAN_LIBRARY", expected[3]}}) == expected);
    CHECK(opened({{"FERRY_BACKEND", "host"}}) == Names{});
}
