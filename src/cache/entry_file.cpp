// SPDX-License-Identifier: Apache-2.0
#include "entry_file.hpp"

#include "system/file_io.hpp"

#include <cerrno>

namespace ferry::cache {
namespace {

bool is_trusted(const detail::FileStatus& status) noexcept {
    return status.is_regular() && status.owner == detail::effective_user() && !status.others_may_write();
}

} // namespace

EntryFile read_entry_file(const detail::FileDescriptor& directory, const std::string& name) {
    EntryFile entry;
    const auto failed = [&entry] {
        entry.outcome = Outcome::failed;
        entry.failure = {Failure::Step::read, static_cast<std::uint32_t>(errno)};
    };
    entry.file = detail::open_file(directory, name.c_str(), entry_options);
    if (!entry.file) {
        const int reason = errno;
        const auto link = reason == ELOOP ? detail::status_in(directory, name.c_str()) : std::nullopt;
        if (link) {
            entry.status = *link;
            entry.outcome = Outcome::damaged;
        } else if (reason != ENOENT) {
            errno = reason;
            failed();
        }
        return entry;
    }
    const auto status = detail::status_of(entry.file);
    if (!status) {
        failed();
        return entry;
    }
    entry.status = *status;
    const std::uint64_t size = status->bytes;
    if (!is_trusted(entry.status) || size > largest_entry) {
        entry.outcome = Outcome::damaged;
        return entry;
    }
    entry.bytes.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const std::ptrdiff_t count = detail::read_some(entry.file, entry.bytes.data() + done, size - done);
        if (count < 0) {
            failed();
            return entry;
        }
        if (count == 0) {
            entry.outcome = Outcome::damaged;
            return entry;
        }
        done += static_cast<std::size_t>(count);
    }
    entry.outcome = Outcome::read;
    return entry;
}

void touch(const EntryFile& entry) noexcept {
    detail::mark_as_used(entry.file);
}

bool remove_entry_file(const detail::FileDescriptor& directory, const std::string& name,
                       const EntryFile& entry) noexcept {
    const auto now = detail::status_in(directory, name.c_str());
    return now && now->is_same_file(entry.status) && detail::remove_in(directory, name.c_str());
}

} // namespace ferry::cache
