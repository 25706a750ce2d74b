// SPDX-License-Identifier: Apache-2.0
// The loader's messages about unsuitable libraries. Each case is a separate process, because a process opens
// a vendor library only once.
#include "report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace loader;

namespace {

struct Vendor {
    const char* backend;
    const char* variable;
    std::vector<std::string> lacks; ///< some functions that libferry_lacking.so lacks
    const char* has;                ///< the function that it has
};

const Vendor vendors[] = {
    {"cuda",
     "FERRY_CUDA_LIBRARY",
     {"cuMemAlloc_v2", "cuLaunchKernel", "cuStreamCreate", "cuModuleLoadDataEx"},
     "cuInit"},
    {"hip",
     "FERRY_HIP_LIBRARY",
     {"hipMalloc", "hipModuleLaunchKernel", "hipMemcpyAsync", "hipEventRecord"},
     "hipInit"},
    {"opencl",
     "FERRY_OPENCL_LIBRARY",
     {"clGetDeviceIDs", "clCreateContext", "clEnqueueNDRangeKernel"},
     "clGetPlatformIDs"},
};

} // namespace

TEST_CASE("a library that is not there: the variable, the name and the loader's words") {
    for (const Vendor& vendor : vendors) {
        CAPTURE(vendor.backend);
        const auto result =
            report({{"FERRY_BACKEND", vendor.backend}, {vendor.variable, "/nowhere/libnothing.so"}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says(std::string(vendor.backend) + ": not available"));
        CHECK(result.says(vendor.variable));
        CHECK(result.says("/nowhere/libnothing.so"));
        CHECK(result.says("No such file"));
    }
}

TEST_CASE("an existing file that is no library for this process is described, not reported as missing") {
    struct Case {
        const char* name;
        std::vector<std::pair<std::size_t, int>> bytes;
        std::string says;
    };
    const std::string own = own_machine();
    const std::vector<Case> cases{
        {"libriscv.so", {{machine, 243}, {machine + 1, 0}}, "(RISC-V, 64 bit), this process is " + own},
        {"lib32.so",
         {{machine, 3}, {machine + 1, 0}, {elf_class, 1}},
         "(x86, 32 bit), this process is " + own},
        {"libclass.so", {{elf_class, 1}}, ", 32 bit), this process is " + own},
        {"libpower.so", {{machine, 0}, {machine + 1, 21}, {byte_order, 2}}, "(POWER, 64 bit, big-endian)"},
        {"libunknown.so", {{machine, 0xe7}, {machine + 1, 3}}, "(machine number 999, 64 bit)"},
        {"libtext.so", {{0, 'I'}, {1, 'N'}, {2, 'P'}, {3, 'U'}}, "begins with the bytes 49 4e 50 55"},
    };
    for (const Vendor& vendor : vendors) {
        for (const Case& c : cases) {
            CAPTURE(vendor.backend);
            CAPTURE(c.name);
            const std::string file = changed_library(c.name, c.bytes);
            const auto result = report({{"FERRY_BACKEND", vendor.backend}, {vendor.variable, file}});
            INFO(result.describe());
            CHECK(result.exited(0));
            CHECK(result.says(std::string(vendor.backend) + ": not available"));
            CHECK(result.says(vendor.variable));
            CHECK(result.says(file));
            CHECK(result.says(c.says));
            CHECK(!result.says("No such file"));
        }
    }
}

TEST_CASE("a library that lacks functions: exactly the missing ones are named") {
    const std::string lacking = path("FERRY_TEST_LACKING");
    for (const Vendor& vendor : vendors) {
        CAPTURE(vendor.backend);
        const auto result = report({{"FERRY_BACKEND", vendor.backend}, {vendor.variable, lacking}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says(std::string(vendor.backend) + ": not available"));
        CHECK(result.says(lacking));
        for (const std::string& name : vendor.lacks) {
            CHECK(result.says(name));
        }
        CHECK(!result.says(std::string(" ") + vendor.has + ","));
    }
}

TEST_CASE("CUDA's stub library is refused by its path and by its code") {
    for (const char* variable : {"FERRY_TEST_STUB", "FERRY_TEST_SILENT"}) {
        const auto result = report({{"FERRY_BACKEND", "cuda"}, {"FERRY_CUDA_LIBRARY", path(variable)}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says("cuda: not available"));
        CHECK(result.says("stub"));
        CHECK(result.says(path(variable)));
    }
}

TEST_CASE("a CUDA driver without a device: the call and its code") {
    const auto result = report({{"FERRY_BACKEND", "cuda"},
                                {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_SILENT")},
                                {"FERRY_DOUBLE_CUDA_CODE", "100"}});
    INFO(result.describe());
    CHECK(result.exited(0));
    CHECK(result.says("cuda: not available"));
    CHECK(result.says("device"));
    CHECK(result.says("100"));
}

TEST_CASE("HIP: too old, without a device, failing to initialise") {
    struct Case {
        const char* variable;
        const char* value;
        const char* says;
    };
    for (const Case& c :
         {Case{"FERRY_DOUBLE_RUNTIME_VERSION", "40500000", "4.5"},
          Case{"FERRY_DOUBLE_DEVICES", "0", "no device"},
          Case{"FERRY_DOUBLE_FAIL", "hipGetDeviceCount:999", "hipGetDeviceCount returned 999"}}) {
        CAPTURE(c.variable);
        const auto result = report(
            {{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")}, {c.variable, c.value}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says("hip: not available"));
        CHECK(result.says(c.says));
    }
}

TEST_CASE("HIP 5, 6 and 7 are available") {
    for (const char* variable : {"FERRY_TEST_HIP", "FERRY_TEST_HIP5", "FERRY_TEST_HIP7"}) {
        CAPTURE(variable);
        const auto result = report({{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path(variable)}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says("hip: available"));
        CHECK(result.says(path(variable)));
    }
}

TEST_CASE(
    "HIP that has only what Ferry cannot do without: available, and each feature that is off is named") {
    std::vector<std::string> features;
    const auto add = [&](const std::string& tier) {
        const bool named = tier != "required" && !tier.starts_with("either_");
        if (named && std::find(features.begin(), features.end(), tier) == features.end()) {
            features.push_back(tier);
        }
    };
#define FERRY_SYMBOL(tier, member, cuda, hip, parameters) add(#tier);
#define FERRY_HIP_SYMBOL(tier, member, name, result, parameters) add(#tier);
#include "driver/symbols.def"
    REQUIRE(features.size() > 4);
    std::string list;
    for (const std::string& feature : features) {
        list += (list.empty() ? "" : ", ") + feature;
    }
    const auto result = report({{"FERRY_BACKEND", "hip"}, {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP_OLD")}});
    INFO(result.describe());
    INFO("tests/doubles/hip_cpu/required.map has to hide every function that the table does not require");
    CHECK(result.exited(0));
    CHECK(result.says("hip: available"));
    CHECK(result.says("HIP 5.7 (too old for: " + list + ")"));
}

TEST_CASE("the newest ROCm in the loader's path is taken, by its versioned name") {
    const std::string five = path("FERRY_TEST_HIP5");
    const std::string seven = path("FERRY_TEST_HIP7");
    const std::string folders = five.substr(0, five.rfind('/')) + ":" + seven.substr(0, seven.rfind('/'));
    const auto result = report({{"FERRY_BACKEND", "hip"}, {"LD_LIBRARY_PATH", folders}});
    INFO(result.describe());
    CHECK(result.exited(0));
    CHECK(result.says("hip: available"));
    CHECK(result.says("libamdhip64.so.7"));
    CHECK(!result.says("mapped: libamdhip64.so.5"));
}

TEST_CASE("the versioned name is tried before the one without a version") {
    struct Case {
        const char* backend;
        const char* name;
    };
    for (const Case& c : {Case{"cuda", "libcuda.so"}, Case{"opencl", "libOpenCL.so"}}) {
        CAPTURE(c.name);
        const std::string folder = path("FERRY_TEST_FOLDER") + "/both/" + c.backend;
        const std::string name = c.name;
        copy_library(path("FERRY_TEST_LACKING"), folder, name);
        copy_library(path("FERRY_TEST_LACKING"), folder, name + ".1");
        const auto result = report({{"FERRY_BACKEND", c.backend}, {"LD_LIBRARY_PATH", folder}});
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.says(std::string(c.backend) + ": not available"));
        CHECK(result.says(name + ".1"));
        CHECK(result.says("lacks"));
        CHECK(result.says("mapped: " + name + ".1\n"));
        CHECK(!result.says("mapped: " + name + "\n"));
    }
}

TEST_CASE("a backend that is not asked for is not opened") {
    const auto result = report({{"FERRY_BACKEND", "host"},
                                {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")},
                                {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_SILENT")},
                                {"FERRY_OPENCL_LIBRARY", path("FERRY_TEST_LACKING")}});
    INFO(result.describe());
    CHECK(result.exited(0));
    CHECK(result.says("host: available"));
    CHECK(result.says("hip: not available"));
    for (const char* library :
         {"libferry_hip_cpu", "libcuda", "libferry_lacking", "libOpenCL", "libamdhip64"}) {
        CAPTURE(library);
        CHECK(!result.says(std::string("mapped: ") + library));
    }
}
