// SPDX-License-Identifier: Apache-2.0
#include "device_state.hpp"

#include <ferry/device.hpp>

namespace ferry {

MemoryCapabilities Device::capabilities(MemoryKind kind, Probe, SourceLocation where) const {
    state_->check_alive(where);
    return state_->native().memory_facts(kind);
}

} // namespace ferry
