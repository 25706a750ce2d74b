// SPDX-License-Identifier: Apache-2.0
#include "directory.hpp"

#include "base/text.hpp"
#include "system/files.hpp"
#include "system/folder.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

namespace ferry::cache {
namespace {

using Step = Failure::Step;

Failure failed(Step step) noexcept {
    return {step, static_cast<std::uint32_t>(errno)};
}

bool make_all(const Location& location, Failure& failure) {
    std::string path = location.directory;
    for (std::size_t i = location.existing.size() + 1; i <= path.size(); ++i) {
        if (i < path.size() && path[i] != '/') {
            continue;
        }
        const char kept = path[i];
        path[i] = '\0';
        if (!detail::make_private_folder(path.c_str())) {
            failure = failed(Step::make);
            return false;
        }
        path[i] = kept;
    }
    return true;
}

std::string octal(std::uint32_t mode) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%04o", mode);
    return text.data();
}

} // namespace

detail::FileDescriptor open_directory(const Location& location, bool make, Failure& failure) noexcept {
    try {
        detail::FileDescriptor directory = detail::open_folder(location.directory);
        if (!directory && errno == ENOENT) {
            if (!make) {
                failure = {Step::missing, 0};
                return {};
            }
            if (!make_all(location, failure)) {
                return {};
            }
            directory = detail::open_folder(location.directory);
        }
        const auto status = directory ? detail::status_of(directory) : std::nullopt;
        if (!status) {
            failure = failed(Step::open);
            return {};
        }
        if (status->owner != detail::effective_user()) {
            failure = {Step::owner, status->owner};
            return {};
        }
        if (status->others_may_write()) {
            failure = {Step::permissions, status->permissions};
            return {};
        }
        return directory;
    } catch (...) {
        failure = {Step::memory, 0};
        return {};
    }
}

Failure whether_it_can_be_made(const Location& location) {
    std::string path = location.directory;
    do {
        path.resize(path.find_last_of('/'));
    } while (path.size() > location.existing.size() && detail::is_missing(path));
    path += path.empty() ? "/" : "";
    if (!detail::may_make_folders_in(path)) {
        return failed(Step::make);
    }
    return {Step::missing, 0};
}

std::string text_of(const Failure& failure, const Location& location) {
    const std::string directory = "The cache of compiled kernels, \"" + location.directory + "\", ";
    const std::string system = ": " + std::string(std::strerror(static_cast<int>(failure.number)));
    switch (failure.step) {
    case Step::none:
    case Step::missing:
        return {};
    case Step::make:
        return directory + "is not used, for it cannot be made" + system;
    case Step::open:
        return directory + "is not used, for it cannot be opened" + system;
    case Step::owner:
        return directory + "is not used, for it belongs to user " + std::to_string(failure.number) +
               ", and this process runs as user " + std::to_string(detail::effective_user()) +
               "; name another one with FERRY_CACHE_DIR";
    case Step::permissions:
        return directory + "is not used, for its mode is " + octal(failure.number) +
               " and users other than its owner may write to it; chmod 700 mends that";
    case Step::read:
        return directory + "has an entry that cannot be read" + system;
    case Step::create:
        return directory + "took no new entry, for no file can be made in it" + system;
    case Step::write:
        return directory + "took no new entry, for it could not be written" + system;
    case Step::publish:
        return directory + "took no new entry, for its file could not be renamed" + system;
    case Step::remove:
        return directory + "keeps entries that cannot be removed" + system;
    case Step::too_large:
        return directory + "took no new entry, for one was larger than all of the cache may be, " +
               detail::in_bytes(location.limit) + "; FERRY_CACHE_LIMIT sets that";
    case Step::busy:
        return directory + "took no new entry, for another process was making room in it for more than 20 ms";
    case Step::memory:
        return directory + "could not be used, because memory is exhausted";
    }
    return {};
}

} // namespace ferry::cache
