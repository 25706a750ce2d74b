// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

namespace ferry::vulkan {

/// See backend::Row::open.
std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons);

} // namespace ferry::vulkan
