// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::host {

/// True once stop_at_exit() was called: no kernel function and no copy is begun any more.
bool stopping() noexcept;

/// How many other threads of this process are running a kernel function or a copy.
int in_hand_elsewhere() noexcept;

/// From now on a child process does not wait for what its parent's threads are running.
void watch_forks() noexcept;

/// While it lives, the thread is running a kernel function or a copy: stop_at_exit() waits for it.
/// Ask stopping() after it was made.
class InHand {
public:
    InHand() noexcept;
    InHand(const InHand&) = delete;
    InHand& operator=(const InHand&) = delete;
    ~InHand();
};

} // namespace ferry::host
