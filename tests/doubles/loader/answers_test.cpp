// SPDX-License-Identifier: Apache-2.0
// What the stand-ins on the CPU answer, and that each answer arrives in the right field.
#include "report.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace loader;

namespace {

struct Stand {
    const char* backend;
    const char* library; ///< The variable of the test that names it.
};
constexpr Stand stands[] = {{"cuda", "FERRY_TEST_CUDA"},
                            {"hip", "FERRY_TEST_HIP"},
                            {"hip", "FERRY_TEST_HIP5"},
                            {"hip", "FERRY_TEST_HIP7"}};

/// The description of the default device, one "FIELD: VALUE" for each line.
support::ChildResult describe(const Stand& stand, Variables variables) {
    const bool hip = std::string(stand.backend) == "hip";
    variables.emplace_back("FERRY_BACKEND", stand.backend);
    variables.emplace_back(hip ? "FERRY_HIP_LIBRARY" : "FERRY_CUDA_LIBRARY", path(stand.library));
    if (std::string(stand.library) == "FERRY_TEST_HIP7") {
        variables.emplace_back("FERRY_HIPRTC_LIBRARY", path("FERRY_TEST_HIPRTC7"));
    }
    if (!hip) {
        variables.emplace_back("FERRY_NVRTC_LIBRARY", path(stand.library));
    }
    return run_self("--describe", variables);
}

void check_lines(const support::ChildResult& result, const std::vector<std::string>& lines) {
    INFO(result.describe());
    CHECK(result.exited(0));
    for (const std::string& line : lines) {
        CHECK_MESSAGE(result.says(line + "\n"), "there is no line \"", line, "\"");
    }
}

} // namespace

TEST_CASE("the stand-ins' answers arrive in the right fields") {
    for (const Stand& stand : stands) {
        const bool hip = std::string(stand.backend) == "hip";
        INFO(stand.library);
        check_lines(
            describe(stand, {}),
            {std::string("name: ") + (hip ? "Ferry HIP double on the CPU" : "Ferry CUDA double on the CPU"),
             std::string("vendor: ") + (hip ? "Advanced Micro Devices, Inc." : "NVIDIA Corporation"),
             "platform: ",
             std::string("architecture: ") + (hip ? "gfx90a" : "sm_90"),
             "kind: gpu",
             "integrated: 0",
             "total_memory: 2147483648",
             "compute_units: 4",
             "clock_mhz: 1700",
             "max_group_size: 1024",
             "max_local: 1024 1024 1024",
             "max_groups: 2147483647 65536 65536",
             "local_memory: 65536",
             std::string("sub_group_width: ") + (hip ? "64" : "32"),
             "fp16: 1",
             "fp64: 1",
             "int64_atomics: 1",
             "timing: 1",
             "compiles: 1",
             "host_memory: 1",
             "version fits: 1",
             "pci_address: 0000:c0:00.0",
             "uuid: 66657272-792d-646f-7562-6c652d303030"});
    }
}

TEST_CASE("other answers make another device of a stand-in") {
    for (const Stand& stand : stands) {
        const bool hip = std::string(stand.backend) == "hip";
        INFO(stand.library);
        check_lines(
            describe(stand,
                     {{"FERRY_DOUBLE_ANSWERS",
                       "Integrated=1,WarpSize=32,MultiprocessorCount=7,ClockRate=1234000,CanMapHostMemory=0,"
                       "ConcurrentManagedAccess=0,MaxBlockDimY=512,ComputeCapabilityMajor=7,"
                       "ComputeCapabilityMinor=5"},
                      {"FERRY_DOUBLE_ARCH", "gfx1030"}}), // HIP's; CUDA's consists of two attributes
            {"integrated: 1", "sub_group_width: 32", "compute_units: 7", "clock_mhz: 1234", "host_memory: 0",
             "shared_memory: 0", std::string("architecture: ") + (hip ? "gfx1030" : "sm_75"),
             "max_local: 1024 512 1024"});
    }
}

TEST_CASE("an integrated stand-in with more memory than the machine has the machine's free memory") {
    for (const Stand& stand : stands) {
        INFO(stand.library);
        check_lines(
            describe(stand, {{"FERRY_DOUBLE_ANSWERS", "Integrated=1"}, {"FERRY_DOUBLE_MEMORY", "100000g"}}),
            {"integrated: 1", "more memory than the machine: 1", "free memory of the machine: 1"});
    }
}
