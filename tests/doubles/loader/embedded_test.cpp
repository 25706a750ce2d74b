// SPDX-License-Identifier: Apache-2.0
// The choice among forms of embedded kernels, with the simulated libcuda (a driver of CUDA 13.0, compute
// capability 9.0) and HIP's stand-in.
#include "report.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace loader;

namespace {

std::string file(const std::string& name) {
    return path("FERRY_TEST_FOLDER") + "/" + name;
}

/// An argument for run_embedded(): PTX of that version for a processor.
std::string ptx(const std::string& version, const std::string& target) {
    const std::string name = file("value_" + version + "_" + target + ".ptx");
    std::ofstream(name) << ".version " << version << "\n.target " << target
                        << "\n.address_size 64\n.visible .entry value(.param .u64 value_param_0) { ret; }\n";
    return "ptx:" + name;
}

support::ChildResult on_cuda(const std::vector<std::string>& forms, bool compiler) {
    Variables variables{{"FERRY_BACKEND", "cuda"}, {"FERRY_CUDA_LIBRARY", path("FERRY_TEST_EMPTY")}};
    if (!compiler) {
        variables.emplace_back("FERRY_NVRTC_LIBRARY", "/nowhere/libnvrtc.so");
    }
    return run_self("--embedded", variables, forms);
}

support::ChildResult on_hip(const char* what, const std::vector<std::string>& arguments, bool compiler,
                            const std::string& architecture = "gfx90a") {
    return run_self(
        what,
        {{"FERRY_BACKEND", "hip"},
         {"FERRY_HIP_LIBRARY", path("FERRY_TEST_HIP")},
         {"FERRY_HIPRTC_LIBRARY", compiler ? path("FERRY_TEST_HIP") : std::string("/nowhere/libhiprtc.so")},
         {"FERRY_DOUBLE_ARCH", architecture}},
        arguments);
}

void check_says(const support::ChildResult& result, int status, const std::vector<std::string>& texts) {
    INFO(result.describe());
    CHECK(result.exited(status));
    for (const std::string& text : texts) {
        CHECK_MESSAGE(result.says(text), "it does not say \"", text, "\"");
    }
}

} // namespace

TEST_CASE("embedded PTX runs without NVRTC, and the text runs with it") {
    const std::vector<std::string> forms{ptx("8.0", "sm_75")};
    check_says(on_cuda(forms, false), 0,
               {"compiles: no", "form: PTX\n", "PTX, compiled by the driver", "no run-time compiler",
                "/nowhere/libnvrtc.so"});
    const auto compiled = on_cuda(forms, true);
    if (!compiled.says("compiles: no")) { // this machine has NVRTC
        check_says(compiled, 0,
                   {"form: OpenCL C\n", "PTX: fits less well (PTX, compiled by the driver)", "NVRTC"});
    }
}

TEST_CASE("embedded PTX that is newer than the driver is refused, and an older one taken") {
    const std::string newer = ptx("9.1", "sm_75");
    const std::string why =
        "PTX 9.1, which drivers for CUDA 13.1 and later take; this driver is for CUDA 13.0";
    check_says(on_cuda({newer}, false), 3, {"unsupported: ", why, "no run-time compiler"});
    check_says(on_cuda({newer, ptx("9.0", "sm_75")}, false), 0, {"form: PTX\n", why});
    check_says(on_cuda({ptx("8.7", "sm_100")}, false), 3, {"unsupported: ", "sm_100", "sm_90"});
}

TEST_CASE("embedded code objects: the device's own runs, with and without hipRTC") {
    check_says(on_hip("--make", {path("FERRY_TEST_FOLDER"), "gfx90a", "gfx1030"}, true), 0,
               {"made: gfx90a\n", "made: gfx1030\n"});
    const std::string gfx90a = "gfx90a:" + file("gfx90a");
    const std::string gfx1030 = "gfx1030:" + file("gfx1030");
    for (const bool compiler : {true, false}) {
        check_says(on_hip("--embedded", {gfx1030, gfx90a}, compiler), 0,
                   {"form: AMD code object\n", "AMD code object for gfx90a taken",
                    "AMD code object for gfx1030: ", "value: 4711\n"});
        check_says(on_hip("--embedded", {gfx1030, gfx90a}, compiler, "gfx1030"), 0,
                   {"AMD code object for gfx1030 taken", "value: 4711\n"});
    }
    check_says(on_hip("--embedded", {gfx1030}, false), 3,
               {"unsupported: ", "AMD code object for gfx1030: ", "gfx90a", "no run-time compiler"});
    check_says(on_hip("--embedded", {gfx1030}, true), 0,
               {"form: OpenCL C\n", "AMD code object for gfx1030: ", "value: 4711\n"});
}
