// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file_descriptor.hpp"

#include <string>
#include <string_view>

namespace ferry::cache {

/// Bytes as a file that can be given to dlopen(), and that nobody can exchange between the check of the bytes
/// and their use. It is never a file of the cache: those may be replaced, cut or removed at any moment, so a
/// shared object is loaded with DiskCache::load() and handed on as one of these:
///
///     const cache::PrivateFile file(*binary, "saxpy");
///     void* library = file ? dlopen(file.path().c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
///
/// A sealed memory file, which works with a full disk and on one mounted noexec; where the system has none, a
/// file in TMPDIR or /tmp. No two objects of a process have the same path(), not even one after the other:
/// the loader takes a path it knows for the library it loaded from there, and the number of a closed
/// descriptor comes back.
///
/// Needed until dlopen() has returned.
class PrivateFile {
public:
    enum class Place {
        memory_or_disk,
        disk, ///< for where dlopen() is not allowed to take code from a memory file
    };
    /// `label` is for people: it shows in /proc/self/maps. Throws std::bad_alloc only.
    PrivateFile(std::string_view bytes, std::string_view label, Place place = Place::memory_or_disk);
    PrivateFile(const PrivateFile&) = delete;
    PrivateFile& operator=(const PrivateFile&) = delete;
    ~PrivateFile();

    explicit operator bool() const noexcept { return !path_.empty(); }
    const std::string& path() const noexcept { return path_; }
    /// Why there is no file; a whole sentence.
    const std::string& problem() const noexcept { return problem_; }

private:
    bool in_memory(std::string_view bytes, std::string_view label);
    void on_disk(std::string_view bytes);

    FileDescriptor file_;
    std::string path_;
    std::string problem_;
    bool named_ = false;
};

} // namespace ferry::cache
