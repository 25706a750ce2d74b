// SPDX-License-Identifier: Apache-2.0
#include "queue/queue_state.hpp"
#include "trace/trace.hpp"

#include <ferry/device.hpp>

namespace ferry {

void Device::finish(SourceLocation where) const {
    const trace::Span span("Device::finish", where);
    detail::QueueState::finish_all(*state_, where);
}

} // namespace ferry
