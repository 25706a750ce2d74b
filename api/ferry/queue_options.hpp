// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/abi.hpp>
#include <ferry/hints.hpp>
#include <ferry/wait_policy.hpp>

namespace ferry {

struct QueueOptions {
    bool timing = true; ///< If true, events of this queue can be passed to elapsed().
    /// How finish(), and wait() of this queue's events, wait.
    WaitPolicy wait = WaitPolicy::automatic;
    /// A hint. A borrowed queue keeps the priority that its owner gave it.
    QueuePriority priority = QueuePriority::normal;
};

} // namespace ferry
