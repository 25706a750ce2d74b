// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry::host {

/// True once stop_at_exit() was called: no kernel function and no copy is begun any more.
bool stopping() noexcept;

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
