// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

namespace amd_gpu {

void set_event(u32 id);

} // namespace amd_gpu
