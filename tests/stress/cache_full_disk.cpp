// SPDX-License-Identifier: Apache-2.0
#include "cache_torture.hpp"

#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace torture {
namespace {

/// Enters a mount namespace, directly if permitted, or in a new user namespace.
bool enter_name_space(std::string& why) {
    if (::unshare(CLONE_NEWNS) == 0) {
        return true;
    }
    const std::string user = std::to_string(::geteuid());
    const std::string group = std::to_string(::getegid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
        why = "unshare: " + std::string(std::strerror(errno));
        return false;
    }
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user + ' ' + user + " 1";
    std::ofstream("/proc/self/gid_map") << group + ' ' + group + " 1";
    return true;
}

} // namespace

bool mount_small_disk(const std::string& directory, std::uint64_t bytes, std::string& why) {
    if (!enter_name_space(why)) {
        return false;
    }
    ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    const std::string options = "mode=0700,size=" + std::to_string(bytes);
    if (::mount("ferry", directory.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) != 0) {
        why = "mount: " + std::string(std::strerror(errno));
        return false;
    }
    return true;
}

} // namespace torture
