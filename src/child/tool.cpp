// SPDX-License-Identifier: Apache-2.0
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // dladdr1.
#endif
#include "child/tool.hpp"

#include "child/mark.hpp"
#include "system/privilege.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace ferry::detail::child_run {
namespace {

struct Descriptor {
    int number;
    ~Descriptor() {
        if (number >= 0) {
            ::close(number);
        }
    }
};

std::string resolved(const std::string& path) {
    char* const whole = ::realpath(path.c_str(), nullptr);
    std::string text = whole != nullptr ? whole : "";
    std::free(whole);
    return text;
}

/// The file that contains this code: the shared library, or a statically linked program.
std::string own_file() {
    Dl_info info{};
    link_map* map = nullptr;
    const auto here = reinterpret_cast<const void*>(&own_file);
    if (::dladdr1(here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map != nullptr &&
        map->l_name != nullptr && *map->l_name != '\0') {
        return resolved(map->l_name);
    }
    return resolved("/proc/self/exe");
}

bool has_mark(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    // In two parts, so that programs that merely contain this library do not contain the whole mark.
    static const std::string mark = std::string(FERRY_TRIAL_MARK_HEAD) + FERRY_TRIAL_MARK_TAIL;
    std::vector<char> bytes(std::size_t{256} << 10);
    std::size_t kept = 0;
    for (;;) {
        const ssize_t got = ::read(file.number, bytes.data() + kept, bytes.size() - kept);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        const std::string_view text(bytes.data(), kept + static_cast<std::size_t>(got));
        if (text.find(mark) != std::string_view::npos) {
            return true;
        }
        kept = std::min(text.size(), mark.size());
        std::copy(text.end() - static_cast<std::ptrdiff_t>(kept), text.end(), bytes.begin());
    }
}

/// The reason why this file must not be started. Empty if it may.
std::string objection(const std::string& path, uid_t library_owner) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return "'" + path + "' is no file";
    }
    if (::access(path.c_str(), R_OK | X_OK) != 0) {
        return "'" + path + "' may not be read and run";
    }
    if ((status.st_mode & S_IWOTH) != 0) {
        return "'" + path + "' may be written by everybody";
    }
    if (status.st_uid != 0 && status.st_uid != ::geteuid() && status.st_uid != library_owner) {
        return "'" + path + "' belongs to user " + std::to_string(status.st_uid);
    }
    if (!has_mark(path)) {
        return "'" + path + "' is not the ferry tool of version " + version();
    }
    return {};
}

} // namespace

Tool find_tool() {
    if (is_privileged()) {
        return {{}, "this process runs with more rights than its user has"};
    }
    const std::string own = own_file();
    struct stat status {};
    const uid_t owner = ::stat(own.c_str(), &status) == 0 ? status.st_uid : 0;
    const char* const named = ::secure_getenv("FERRY_TOOL");
    if (named != nullptr && *named != '\0') {
        const std::string path = named;
        if (path == "off") {
            return {{}, "FERRY_TOOL is off"};
        }
        if (path.front() != '/') {
            return {{}, "FERRY_TOOL is '" + path + "', which is no absolute path"};
        }
        std::string why_not = objection(path, owner);
        return why_not.empty() ? Tool{path, {}} : Tool{{}, "FERRY_TOOL: " + why_not};
    }
    const std::string folder = own.substr(0, own.find_last_of('/') + 1);
    std::string why_not = "no ferry tool is beside '" + own + "'";
    for (const std::string& place : {folder + "ferry", folder + FERRY_TOOLS_FROM_LIBRARY "/ferry"}) {
        const std::string path = resolved(place);
        if (path.empty() || path == own) {
            continue;
        }
        const std::string against = objection(path, owner);
        if (against.empty()) {
            return {path, {}};
        }
        why_not = against;
    }
    return {{}, why_not};
}

} // namespace ferry::detail::child_run
