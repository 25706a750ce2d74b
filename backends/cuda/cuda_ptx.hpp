// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/kernel.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ferry::cuda {

/// What PTX text says of itself.
struct Ptx {
    int target = 0;  ///< of ".target sm_90": 90; 0 if there is none
    int version = 0; ///< of ".version 8.5": 85; 0 if there is none
    std::vector<KernelInfo> kernels;
};

/// Whether an image for the driver is PTX text, and no machine code.
bool is_ptx(std::string_view image);

/// What CUDA is the first whose drivers take PTX of that version: 85 gives "12.5". Empty for a version that
/// was not there in 2026, or that all drivers take.
std::string_view first_cuda_for(int ptx_version) noexcept;
/// Why a driver of the CUDA version `driver` ("12.4") does not take it, as a clause with both versions; empty
/// if it does or nobody can tell.
std::string ptx_too_new(const Ptx& ptx, std::string_view driver);

/// Reads the version, the target and the entry points with their parameters; leaves out what it cannot read.
Ptx parse_ptx(std::string_view text);

} // namespace ferry::cuda
