// SPDX-License-Identifier: Apache-2.0
#include "child/tool.hpp"

#include "child/mark.hpp"
#include "system/files.hpp"
#include "system/privilege.hpp"
#include "system/shared_library.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace ferry::detail::child_run {
namespace {

/// The file that contains this code: the shared library, or a statically linked program.
std::string own_file() {
    const std::string library = library_with(reinterpret_cast<const void*>(&own_file));
    return resolved_path(library.empty() ? "/proc/self/exe" : library);
}

bool has_mark(const std::string& path) {
    const FileDescriptor file = open_file(path, {});
    // In two parts, so that programs that merely contain this library do not contain the whole mark.
    const std::string mark = std::string(FERRY_TRIAL_MARK_HEAD) + FERRY_TRIAL_MARK_TAIL;
    std::vector<char> bytes(std::size_t{256} << 10);
    std::size_t kept = 0;
    for (;;) {
        const std::ptrdiff_t got = read_some(file, bytes.data() + kept, bytes.size() - kept);
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
std::string objection(const std::string& path, std::uint32_t library_owner) {
    const auto status = status_at(path);
    if (!status || !status->is_regular()) {
        return "'" + path + "' is no file";
    }
    if (!may_access(path, FileAccess::read_and_run)) {
        return "'" + path + "' may not be read and run";
    }
    if ((status->permissions & 0002U) != 0) {
        return "'" + path + "' may be written by everybody";
    }
    if (status->owner != 0 && status->owner != effective_user() && status->owner != library_owner) {
        return "'" + path + "' belongs to user " + std::to_string(status->owner);
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
    const std::uint32_t owner = status_at(own).value_or(FileStatus{}).owner;
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
        const std::string path = resolved_path(place);
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
