// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/kernel.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ferry::cuda {

/// The header and the entry points of a PTX text.
struct Ptx {
    int target = 0;  ///< From ".target sm_90": 90. 0 if there is none.
    int version = 0; ///< From ".version 8.5": 85. 0 if there is none.
    std::vector<KernelInfo> kernels;
};

/// Whether an image for the driver is PTX text and not machine code.
bool is_ptx(std::string_view image);

/// The first CUDA version with drivers that accept PTX of this version: 85 gives "12.5". Empty for a version
/// that did not exist in 2026, or that all drivers accept.
std::string_view first_cuda_for(int ptx_version) noexcept;
/// The reason why a driver of the CUDA version `driver` ("12.4") does not accept it, as a clause with both
/// versions. Empty if it does, or if this is unknown.
std::string ptx_too_new(const Ptx& ptx, std::string_view driver);

/// Reads the version, the target and the entry points with their parameters. Omits everything that it cannot
/// read.
Ptx parse_ptx(std::string_view text);

} // namespace ferry::cuda
