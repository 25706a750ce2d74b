// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vulkan_program.hpp"

namespace ferry::vulkan {

/// Compiles OpenCL C with Ferry's own compiler. Throws Error (build_failed) with the log.
std::unique_ptr<VulkanProgram> compile(VulkanDevice& device, const Source& source,
                                       const BuildOptions& options);

} // namespace ferry::vulkan
