// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/kernel.hpp>

#include <string_view>
#include <vector>

namespace ferry::cuda {

/// What PTX text says of itself.
struct Ptx {
    int target = 0; ///< of ".target sm_90": 90; 0 if there is none
    std::vector<KernelInfo> kernels;
};

/// Whether an image for the driver is PTX text, and no machine code.
bool is_ptx(std::string_view image);

/// Reads the target and the entry points with their parameters; leaves out what it cannot read.
Ptx parse_ptx(std::string_view text);

} // namespace ferry::cuda
