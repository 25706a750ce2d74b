// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::host {

/// True after stop_at_exit() was called: no further kernel function or copy starts.
bool stopping() noexcept;

/// The number of other threads of this process that run a kernel function or a copy.
int in_hand_elsewhere() noexcept;

/// After this call a child process does not wait for work of its parent's threads.
void watch_forks() noexcept;

/// While it lives, this thread runs a kernel function or a copy, and stop_at_exit() waits for it. Call
/// stopping() after its construction.
class InHand {
public:
    InHand() noexcept;
    InHand(const InHand&) = delete;
    InHand& operator=(const InHand&) = delete;
    ~InHand();
};

} // namespace ferry::host
