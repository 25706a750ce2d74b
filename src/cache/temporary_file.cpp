// SPDX-License-Identifier: Apache-2.0
#include "entry_file.hpp"
#include "system/thread.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>

namespace ferry::cache {
namespace {

constexpr std::string_view prefix = ".new-";
constexpr int attempts = 16;
constexpr std::chrono::seconds young{2};
constexpr std::chrono::hours surely_old{1};

/// Since 1970, as the times of files.
std::chrono::nanoseconds now() noexcept {
    return std::chrono::system_clock::now().time_since_epoch();
}

std::string fresh_name() {
    static std::atomic<unsigned> counter{0}; // Relaxed: numbers must differ, not be in order.
    char text[80];
    std::snprintf(text, sizeof text, "%s%llu-%u-%llx", prefix.data(),
                  static_cast<unsigned long long>(detail::process_number()),
                  counter.fetch_add(1, std::memory_order_relaxed),
                  static_cast<unsigned long long>(now().count()));
    return text;
}

Failure failed(Failure::Step step, int error) noexcept {
    return {step, static_cast<std::uint32_t>(error)};
}

} // namespace

TemporaryFile::TemporaryFile(const detail::FileDescriptor& directory) : directory_(directory) {
    for (int i = 0; i < attempts && !file_; ++i) {
        name_ = fresh_name();
        file_ = detail::open_file(directory, name_.c_str(),
                                  {.reads = false,
                                   .writes = true,
                                   .create = detail::OpenOptions::Create::always,
                                   .follows_link = false});
        if (!file_ && errno != EEXIST) {
            break;
        }
    }
    if (!file_) {
        failure_ = failed(Failure::Step::create, errno);
        return;
    }
    static_cast<void>(detail::try_lock_file(file_));
}

TemporaryFile::~TemporaryFile() {
    if (file_ && !published_) {
        detail::remove_in(directory_, name_.c_str());
    }
}

bool TemporaryFile::publish(std::string_view bytes, const std::string& name) noexcept {
    if (!file_) {
        return false;
    }
    if (!detail::write_all(file_, bytes)) {
        failure_ = failed(Failure::Step::write, errno);
        return false;
    }
    // Not synced: after a power failure the digest detects missing bytes.
    if (!detail::rename_in(directory_, name_.c_str(), name.c_str())) {
        failure_ = failed(Failure::Step::publish, errno);
        return false;
    }
    published_ = true;
    return true;
}

bool is_temporary_name(std::string_view name) noexcept {
    return name.substr(0, prefix.size()) == prefix;
}

bool remove_if_abandoned(const detail::FileDescriptor& directory, const char* name,
                         const detail::FileStatus& status, bool at_once) noexcept {
    const std::chrono::nanoseconds age = now() - status.written;
    if (!status.is_regular() || (!at_once && age < young)) {
        return false;
    }
    const detail::FileDescriptor file = detail::open_file(directory, name, entry_options);
    if (!file) {
        return false;
    }
    const detail::FileLock lock = detail::try_lock_file(file);
    if (lock == detail::FileLock::busy || (lock == detail::FileLock::unavailable && age < surely_old)) {
        return false;
    }
    const bool removed = detail::remove_in(directory, name);
    detail::unlock_file(file); // A child that was forked meanwhile would keep it.
    return removed;
}

} // namespace ferry::cache
