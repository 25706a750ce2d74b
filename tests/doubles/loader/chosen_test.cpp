// SPDX-License-Identifier: Apache-2.0
// FERRY_DEVICE and Settings::device on a machine with two devices of the stand-in.
#include "report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace loader;

namespace {

Variables two_devices() {
    return {{"FERRY_BACKEND", "hip"},
            {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")},
            {"FERRY_DOUBLE_DEVICES", "2"}};
}

/// Checks the result of default_device(). The selector is set by the variable and then by the program.
void check(const std::string& selector, int status, const std::vector<std::string>& texts) {
    const std::vector<std::string> by_program{"device=" + selector};
    for (const bool by_variable : {true, false}) {
        Variables variables = two_devices();
        variables.emplace_back("FERRY_DEVICE", by_variable ? selector : "hip:7");
        const auto result =
            run_self("--default", variables, by_variable ? std::vector<std::string>() : by_program);
        INFO("\"", selector, "\": ", result.describe());
        CHECK(result.exited(status));
        for (const std::string& text : texts) {
            CHECK_MESSAGE(result.says(text), "it does not say \"", text, "\"");
        }
        CHECK((status == 0 || result.says(by_variable ? "FERRY_DEVICE is" : "Settings::device is")));
    }
}

void check_is(const std::string& selector, const std::string& device) {
    check(selector, 0, {"default: " + device + "\n"});
}

} // namespace

TEST_CASE("one of two devices is chosen by index, id, UUID and PCI address") {
    check_is("0", "hip:0");
    check_is("1", "hip:1");
    check_is("hip", "hip:0");
    check_is("hip:1", "hip:1");
    check_is(" HIP:1 ", "hip:1");
    // The UUID as `ferry info` prints it.
    check_is("66657272-792d-646f-7562-6c652d303030", "hip:0");
    check_is("66657272-792d-646f-7562-6c652d303031", "hip:1");
    check_is("GPU-66657272-792D-646F-7562-6C652D303031", "hip:1");
    check_is("0000:c0:00.0", "hip:0");
    check_is("0000:c1:00.0", "hip:1");
    check_is("C1:00.0", "hip:1");
}

TEST_CASE("a selector that fits both is refused, and both are named") {
    check("HIP double", 3,
          {"invalid_argument: ", "\"HIP double\", which fits 2 devices", "by its id", "hip:0", "hip:1"});
}

TEST_CASE("a selector without a match is refused, and the devices are named") {
    check("2", 3, {"unavailable: ", "is 2, but there are 2 devices, numbered from 0", "hip:0", "hip:1"});
    check("hip:2", 3, {"unavailable: ", "\"hip:2\", but hip has 2 devices, numbered from 0", "hip:1"});
    check("0000:c2:00.0", 3, {"unavailable: ", "0000:c2:00.0", "no device fits", "hip:0", "hip:1"});
    check("66657272-792d-646f-7562-6c652d303032", 3, {"unavailable: ", "no device fits", "hip:0", "hip:1"});
}

TEST_CASE("all devices are listed, whichever is the default") {
    for (const char* selector : {"1", "no such device"}) {
        Variables variables = two_devices();
        variables.emplace_back("FERRY_DEVICE", selector);
        const auto result = run_self("--devices", variables);
        INFO(result.describe());
        CHECK(result.exited(0));
        CHECK(result.output == "device: hip:0\ndevice: hip:1\n");
    }
}

TEST_CASE("a device that is named by its backend: the default one is found with no other backend opened") {
    const std::string library = path("FERRY_TEST_HIP");
    const auto opened_by = [&](const std::string& selector) {
        const auto result = run_self("--default", {{"FERRY_HIP_LIBRARY", library},
                                                   {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_SILENT")},
                                                   {"FERRY_OPENCL_LIBRARY", path("FERRY_TEST_LACKING")},
                                                   {"FERRY_VULKAN_LIBRARY", "/nowhere/libnone.so"},
                                                   {"FERRY_DOUBLE_DEVICES", "2"},
                                                   {"FERRY_DEVICE", selector},
                                                   {"LD_DEBUG", "files"}});
        INFO(result.describe());
        CHECK(result.exited(0));
        return opened(result.output);
    };
    CHECK(opened_by("hip:1") == std::vector<std::string>{library});
    CHECK(opened_by("hip") == std::vector<std::string>{library});
    // An index counts in the list of all devices.
    CHECK(opened_by("1").size() == 4);
}
