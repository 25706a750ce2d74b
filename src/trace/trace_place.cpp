// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_place.hpp"

#include "system/file_io.hpp"
#include "system/folder.hpp"
#include "system/thread.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace ferry::trace {
namespace {

// trace.json becomes trace.1234.json.
std::string own_name(const std::string& name) {
    const std::size_t dot = name.rfind('.');
    const std::size_t at = dot != std::string::npos && dot != 0 ? dot : name.size();
    return name.substr(0, at) + "." + std::to_string(detail::process_number()) + name.substr(at);
}

bool is_trace(const detail::FileDescriptor& folder, const std::string& name) {
    const detail::FileDescriptor file = detail::open_file(folder, name.c_str(), {.follows_link = false});
    std::array<char, file_head.size()> bytes{};
    const detail::Transferred got = detail::read_at(file, std::as_writable_bytes(std::span(bytes)), 0);
    return got.error == 0 && std::string_view(bytes.data(), got.bytes) == file_head.substr(0, got.bytes) &&
           (got.bytes == 0 || got.bytes == bytes.size());
}

/// The reason why the file with this name is not replaced. Empty if it may be, or if there is none.
std::string obstacle(const detail::FileDescriptor& folder, const std::string& name) {
    const auto status = detail::status_in(folder, name.c_str());
    if (!status) {
        return errno == ENOENT ? std::string() : error_words(errno);
    }
    if (!status->is_regular()) {
        return "\"" + name + "\" is " + to_string(status->kind);
    }
    if (const std::uint32_t user = detail::effective_user(); status->owner != user && user != 0) {
        return "\"" + name + "\" belongs to user " + std::to_string(status->owner);
    }
    return is_trace(folder, name) ? std::string()
                                  : "\"" + name + "\" exists and is not a trace, so it is not replaced";
}

bool is_still(const detail::FileDescriptor& file, const detail::FileDescriptor& folder,
              const std::string& name) {
    const auto mine = detail::status_of(file);
    const auto there = detail::status_in(folder, name.c_str());
    return mine && there && mine->is_same_file(*there);
}

} // namespace

std::string error_words(int error) {
    return std::strerror(error); // NOLINT(concurrency-mt-unsafe)
}

TracePlace::TracePlace(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : name.substr(0, slash + 1);
    name_ = name.substr(slash == std::string::npos ? 0 : slash + 1);
    folder_ = detail::open_folder(folder, detail::FolderUse::names);
    if (!folder_) {
        problem_ = error_words(errno);
    } else if (name_.empty() || name_ == "." || name_ == "..") {
        problem_ = error_words(EISDIR);
    } else {
        Claim claimed = claim();
        if (claimed.busy) {
            name_ = own_name(name_);
            claimed = claim();
        }
        file_ = std::move(claimed.file);
    }
    if (!file_) {
        problem_ = problem_.empty() ? "another process writes to it" : problem_;
        abandon();
    }
}

// A partial file without a lock belongs to a process that was killed. The process that locks the file which
// now has the name decides about it.
TracePlace::Claim TracePlace::claim() {
    detail::OpenOptions options{.writes = true, .permissions = 0666, .follows_link = false};
    for (int attempt = 0; attempt < 100; ++attempt) {
        problem_ = obstacle(folder_, name_);
        if (!problem_.empty()) {
            return {};
        }
        options.create = detail::OpenOptions::Create::always;
        detail::FileDescriptor file = detail::open_file(folder_, partial().c_str(), options);
        const bool made = static_cast<bool>(file);
        if (!made) {
            problem_ = errno == EEXIST ? obstacle(folder_, partial()) : error_words(errno);
            if (!problem_.empty()) {
                return {};
            }
            options.create = detail::OpenOptions::Create::never;
            file = detail::open_file(folder_, partial().c_str(), options);
        }
        if (!file) {
            continue;
        }
        const bool locked = detail::try_lock_file(file) != detail::FileLock::busy;
        if (locked && is_still(file, folder_, partial())) {
            if (made) {
                return {.file = std::move(file)};
            }
            detail::remove_in(folder_, partial().c_str());
        }
        if (!locked && !made) {
            return {.file = {}, .busy = true};
        }
    }
    return {.file = {}, .busy = true};
}

void TracePlace::publish() noexcept {
    try {
        if (obstacle(folder_, name_).empty()) {
            detail::rename_in(folder_, partial().c_str(), name_.c_str());
        }
    } catch (const std::exception&) { // Out of memory: the partial file stays.
    }
}

void TracePlace::remove() noexcept {
    try {
        detail::remove_in(folder_, partial().c_str());
    } catch (const std::exception&) {
    }
    abandon();
}

void TracePlace::abandon() noexcept {
    folder_ = {};
    file_ = {};
}

} // namespace ferry::trace
