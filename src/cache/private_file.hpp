// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace ferry::cache {

/// Bytes as a file for dlopen() that no other process can exchange between the check of the bytes and their
/// use. It is never a file of the cache, because these may be replaced, truncated or removed at any time. A
/// shared object is loaded with DiskCache::load() and passed on as one of these:
///
///     const cache::PrivateFile file(*binary, "saxpy");
///     void* library = file ? dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
///
/// A sealed memory file, which works with a full disk and on one mounted noexec. If the system has none, it
/// is a file in TMPDIR or /tmp. No two objects of a process have the same path(), not even one after the
/// other, because the loader identifies a library by its path, and the number of a closed descriptor is
/// reused.
///
/// Needed until dlopen() has returned.
class PrivateFile {
public:
    enum class Place {
        memory_or_disk,
        disk, ///< For systems on which dlopen() must not load code from a memory file.
    };
    /// `label` is for readers of /proc/self/maps. Throws only std::bad_alloc.
    PrivateFile(std::string_view bytes, std::string_view label, Place place = Place::memory_or_disk);
    PrivateFile(const PrivateFile&) = delete;
    PrivateFile& operator=(const PrivateFile&) = delete;
    ~PrivateFile();

    explicit operator bool() const noexcept { return !path_.empty(); }
    const std::string& path() const noexcept { return path_; }
    /// The reason why there is no file, as a full sentence.
    const std::string& problem() const noexcept { return problem_; }

private:
    bool in_memory(std::string_view bytes, std::string_view label);
    void on_disk(std::string_view bytes);

    detail::FileDescriptor file_;
    std::string path_;
    std::string problem_;
    bool named_ = false;
};

} // namespace ferry::cache
