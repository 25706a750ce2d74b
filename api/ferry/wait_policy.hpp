// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ferry {

/// What a host thread does while it waits for a device: Queue::finish(), Event::wait(), and what waits
/// through them. Given with QueueOptions; docs/design/queues.md has what each costs.
///
/// The policy is about the waiting thread only. It changes neither what a wait promises nor how fast the
/// device works. Waits for work that needs the host first (another backend's event) always block.
enum class WaitPolicy : std::uint8_t {
    /// What FERRY_WAIT says, else: polls for about 150 microseconds, then with short sleeps in between, and
    /// from about 100 milliseconds on sleeps until the device's interrupt. Short waits end as soon as with
    /// `spin`, longer ones some percent later, long ones use next to no processor time.
    automatic,
    /// Polls until the end: the shortest delay, and one processor is busy all the time.
    spin,
    /// Polls and lets other threads run in between. Busy as `spin` where no other thread wants the processor.
    yield,
    /// Sleeps from the start: the least processor time, and some 5 to 50 microseconds until the thread runs
    /// again. OpenCL has one wait call, and how it waits is the driver's affair; this is that call.
    block,
};

} // namespace ferry
