// SPDX-License-Identifier: Apache-2.0
#include "measure/device_knowledge.hpp"

#include <ferry/device.hpp>

namespace ferry {

MemoryCapabilities Device::capabilities(MemoryKind kind, Probe probe, SourceLocation where) const {
    state_->check_alive(where);
    return detail::capabilities_of(*state_, kind, probe, where);
}

} // namespace ferry
