// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"

#include <memory>
#include <string>
#include <vector>

// The skeleton of a new backend. It implements every required method of the contract. It has one device,
// which runs empty queues and refuses all other work with a reason.
namespace ferry::null {

/// The skeleton has no enumerator of its own, so that no program can select it. A new backend adds one.
inline constexpr Backend this_backend = Backend::host;

/// See backend::Row::open.
std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons);

} // namespace ferry::null
