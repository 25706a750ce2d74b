// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

namespace ferry::opencl {

/// The OpenCL loader and all of its devices with OpenCL 1.2 or later. See backend::Row.
std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons);

} // namespace ferry::opencl
