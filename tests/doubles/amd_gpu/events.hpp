// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

namespace amd_gpu {

void set_event(u32 id);

// Reports an access to memory that the node's device does not reach, to those who wait for memory faults.
void raise_memory_fault(unsigned node, u64 address);

} // namespace amd_gpu
