// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "system/environment.hpp"

#include <ferry/settings.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace ferry {
namespace {

// docs/environment.md has a section for each; the test docs.check compares them.
constexpr std::array read_by_ferry{"FERRY_BACKEND",
                                   "FERRY_CACHE_DIR",
                                   "FERRY_CACHE_LIMIT",
                                   "FERRY_CALIBRATION",
                                   "FERRY_CALIBRATION_LIMIT",
                                   "FERRY_CHECK",
                                   "FERRY_CUDA_LIBRARY",
                                   "FERRY_DEVICE",
                                   "FERRY_HIPRTC_LIBRARY",
                                   "FERRY_HIP_LIBRARY",
                                   "FERRY_HOST_COMPILER",
                                   "FERRY_HOST_MODE",
                                   "FERRY_HOST_SEED",
                                   "FERRY_HOST_THREADS",
                                   "FERRY_MEMORY_DEBUG",
                                   "FERRY_MPI_DEVICE_ADDRESSES",
                                   "FERRY_MPI_DEVICES",
                                   "FERRY_NVRTC_LIBRARY",
                                   "FERRY_OPENCL_LIBRARY",
                                   "FERRY_POOL",
                                   "FERRY_PROBE",
                                   "FERRY_PROBE_LIMIT",
                                   "FERRY_STAGING",
                                   "FERRY_SYNC",
                                   "FERRY_TOOL",
                                   "FERRY_TRACE",
                                   "FERRY_VULKAN_LIBRARY",
                                   "FERRY_WAIT"};

// Used by the project's own scripts and tests.
constexpr std::array others{"FERRY_DOCS_TOOLS",
                            "FERRY_DOUBLE_",
                            "FERRY_EXPECT_",
                            "FERRY_INJECT_",
                            "FERRY_INTEL_OCL_DIR",
                            "FERRY_NO_INSTALL",
                            "FERRY_REQUIRE_IMPLEMENTATIONS",
                            "FERRY_TEST_",
                            "FERRY_TRIAL_TOOL"};

} // namespace

std::vector<std::string> unknown_variables() {
    const std::vector<std::string> known(read_by_ferry.begin(), read_by_ferry.end());
    std::vector<std::string> notes;
    for (const std::string& entry : detail::environment()) {
        const std::string name = entry.substr(0, entry.find('='));
        if (!name.starts_with("FERRY_") || std::find(known.begin(), known.end(), name) != known.end() ||
            std::any_of(others.begin(), others.end(),
                        [&](const char* other) { return name.starts_with(other); })) {
            continue;
        }
        notes.push_back("The environment variable " + name.substr(0, 100) +
                        " is set, but Ferry reads no such variable" + detail::did_you_mean(name, known));
    }
    std::sort(notes.begin(), notes.end());
    return notes;
}

} // namespace ferry
