// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <string>

namespace support {

/// Afterwards this process sees an empty folder in place of `folder`, for example "/proc". Returns false if
/// the system does not allow that. It needs root or a user namespace.
inline bool hide(const std::string& folder) {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        return false;
    }
    return mount("none", "/", "none", MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("none", folder.c_str(), "tmpfs", 0, nullptr) == 0;
}

} // namespace support
