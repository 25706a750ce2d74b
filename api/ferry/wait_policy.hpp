// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ferry {

/// How a host thread waits for a device in Queue::finish(), Event::wait(), and all functions that use them.
/// Set in QueueOptions. docs/design/queues.md describes the cost of each policy.
///
/// The policy applies only to the waiting thread. It changes neither the guarantees of a wait nor the speed
/// of the device. Waits for work that first needs the host (an event of another backend) always block.
enum class WaitPolicy : std::uint8_t {
    /// Uses FERRY_WAIT if it is set. Otherwise sleeps through most of the time that recent waits for the same
    /// queue took, and then polls, at first without a pause and later with short sleeps in between. After
    /// about 100 milliseconds it sleeps until the device's interrupt. Waits end almost as soon as with
    /// `spin`, waits that take longer than recent ones some percent later. Long waits use almost no processor
    /// time.
    automatic,
    /// Polls until the end. It has the shortest delay and keeps one processor busy.
    spin,
    /// Polls and lets other threads run in between. As busy as `spin` if no other thread wants the processor.
    yield,
    /// Sleeps from the start. It uses the least processor time; the thread runs again after about 5 to 50
    /// microseconds. OpenCL has only one wait call, and the driver decides how it waits; `block` uses that
    /// call.
    block,
};

} // namespace ferry
