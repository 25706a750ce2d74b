// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_program.hpp"

namespace ferry::vulkan {

/// Compiles OpenCL C with Ferry's own compiler. Throws Error (build_failed) with the log.
std::unique_ptr<VulkanProgram> compile(VulkanDevice& device, const Source& source,
                                       const BuildOptions& options);

/// A module that Ferry's compiler made of this text when the program was built. The text describes the
/// kernels. Throws Error (build_failed).
std::unique_ptr<VulkanProgram> load_compiled(VulkanDevice& device, const Source& source,
                                             std::span<const std::uint32_t> words,
                                             const BuildOptions& options);

} // namespace ferry::vulkan
