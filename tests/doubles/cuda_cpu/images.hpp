// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../driver_cpu/compiler.hpp"

namespace ferry_double {

/// For "sm_..." an ELF file for CUDA with the sections that name its kernels, for "compute_..." PTX with
/// their parameters. The host's shared object takes the place of the code.
std::vector<char> make_cuda_image(std::string_view architecture,
                                  const std::vector<KernelDescription>& kernels,
                                  std::string_view shared_object);

/// Also takes the PTX of Ferry's helper kernels (backends/cuda/cuda_helper_ptx.cpp), which it recognises by
/// their names; the text that they were made of is compiled instead.
std::optional<CodeObject> read_cuda_image(const void* image);

} // namespace ferry_double
