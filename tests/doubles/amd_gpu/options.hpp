// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <string>

namespace amd_gpu {

// Settings of the emulated machine, from the environment. tests/doubles/README.md describes the variables.
struct Options {
    std::string architecture; // gfx900, gfx906, gfx908 or gfx90a
    unsigned stepping = 0;
    unsigned devices = 1;
    u64 memory = 0; // bytes of each device
    bool sdma = true;
    bool xnack = false; // kernels reach all memory of the process
    bool apu = false;   // in addition, the host reaches device memory
    bool statistics = false;
    long long lost_at = 0; // the kernel, counted from 1, at which the device is lost; 0: never
    EngineOptions engine;
};

// Read once. An unknown value ends the process: a test must not pass with another setting than its own.
const Options& options();

} // namespace amd_gpu
