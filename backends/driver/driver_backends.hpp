// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "hal/offline.hpp"

#include <memory>
#include <string>
#include <vector>

/// NVIDIA GPUs through the CUDA driver API. See backend::Row.
namespace ferry::cuda {

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons);
/// The run-time compiler alone.
backend::OfflineCompiler offline_compiler(const backend::Libraries& libraries);

} // namespace ferry::cuda

/// AMD GPUs through HIP. See backend::Row.
namespace ferry::hip {

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons);
/// The run-time compiler alone.
backend::OfflineCompiler offline_compiler(const backend::Libraries& libraries);

} // namespace ferry::hip
