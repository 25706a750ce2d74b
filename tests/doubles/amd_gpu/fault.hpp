// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <stdexcept>
#include <string>

namespace amd_gpu {

// A kernel did something that it must not. The dispatcher adds kernel, group, wave and instruction.
struct Fault : std::runtime_error {
    explicit Fault(const std::string& message) : std::runtime_error(message) {}
    Fault(const std::string& message, unsigned in_lane, u64 at)
        : std::runtime_error(message), lane(static_cast<int>(in_lane)), address(at), of_memory(true) {}
    int lane = -1;
    u64 address = 0;
    bool of_memory = false;
};

std::string hexadecimal(u64 value);

} // namespace amd_gpu
