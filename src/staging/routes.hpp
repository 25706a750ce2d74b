// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "staging/pipeline.hpp"
#include "staging/policy.hpp"

#include <cstddef>

// The ways of a copy between a device and the host's memory.
namespace ferry::detail::staging {

/// Ordinary memory into a device's.
Route upload_route(const Leg& leg, Lease& lease, const void* from, backend::Place to, std::size_t bytes);
Route download_route(const Leg& leg, Lease& lease, backend::Place from, void* to, std::size_t bytes);

/// The steps that both, and copies between devices and files, are made of.
/// The piece begins `skew` bytes into the slot.
Step read_step(const Leg& leg, backend::Place from, std::size_t slot, std::size_t skew = 0);
Step write_step(const Leg& leg, backend::Place to, std::size_t slot, std::size_t skew = 0);

/// The slots for copies that have none of their own to begin with: page-locked for a device that gains from
/// it.
Slots& slots_for(DeviceState& device, Staging mode);

} // namespace ferry::detail::staging
