// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ferry::backend {

/// A setting in effect: the value set by the program, otherwise the environment variable, otherwise nothing.
struct Setting {
    std::string value;
    std::string source; ///< "FERRY_BACKEND", "Settings::backend". Empty if it is not set.
    bool set() const noexcept { return !source.empty(); }
};

/// The library names of each vendor, and the options of the host backend.
struct Libraries {
    Setting cuda, nvrtc, hip, hiprtc, opencl, vulkan;
    Setting host_mode, host_seed;
};

} // namespace ferry::backend
