// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../driver_cpu/compiler.hpp"

namespace ferry_double {

/// For "sm_..." this makes an ELF file for CUDA with the sections that name its kernels. For "compute_..." it
/// makes PTX with their parameters. Both contain the host's shared object instead of GPU code.
std::vector<char> make_cuda_image(std::string_view architecture,
                                  const std::vector<KernelDescription>& kernels,
                                  std::string_view shared_object);

/// Also accepts the PTX of Ferry's helper kernels (backends/cuda/cuda_helper_ptx.cpp). It recognises them by
/// their names and compiles their original text instead.
std::optional<CodeObject> read_cuda_image(const void* image);

} // namespace ferry_double
