// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

namespace amd_gpu {

void set_event(u32 id);
// A kernel's interrupt: sets the events whose mailboxes it wrote. DATA: the low bits of the event's number.
void deliver_interrupt(u32 data);
// The number of threads that wait for an event, for tests.
unsigned waiting_threads(u32 id);

} // namespace amd_gpu
