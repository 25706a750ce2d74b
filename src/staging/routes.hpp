// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "staging/pipeline.hpp"
#include "staging/policy.hpp"

#include <cstddef>

// Routes of copies between a device and host memory.
namespace ferry::detail::staging {

/// From pageable memory to device memory, and back.
Route upload_route(const Leg& leg, Lease& lease, const void* from, backend::Place to, std::size_t bytes);
Route download_route(const Leg& leg, Lease& lease, backend::Place from, void* to, std::size_t bytes);

/// Steps shared by these routes and by copies between devices and files. The piece begins `skew` bytes after
/// the start of the slot.
Step read_step(const Leg& leg, backend::Place from, std::size_t slot, std::size_t skew = 0);
Step write_step(const Leg& leg, backend::Place to, std::size_t slot, std::size_t skew = 0);

/// The slots for a copy without its own: page-locked if the device gains from them, otherwise pageable.
Slots& slots_for(DeviceState& device, Staging mode);

} // namespace ferry::detail::staging
