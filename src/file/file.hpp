// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/new_file.hpp"
#include "file/page_cache.hpp"
#include "staging/slots.hpp"

#include <ferry/source_location.hpp>

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ferry::detail::staging {

/// An open file, by two ways where the file system has both: past the page cache, and through it.
class File {
public:
    File(const File&) = delete;
    File& operator=(const File&) = delete;

protected:
    File() = default;
    ~File();

    /// As openat(); but a pipe is not waited for until somebody opens its other end.
    static int open_at_once(int folder, const std::string& name, int flags, mode_t access = 0);
    /// Opens the same file again, to go past the page cache. What the file system lacks is refused.
    void open_direct(int folder, const std::string& name, int flags);

    int cached_ = -1;
    int direct_ = -1;
    std::atomic<bool> use_direct_{false};
    std::string path_;
};

class InputFile : public File {
public:
    /// Opens a regular file (or a block device) and checks that it has the bytes. Throws Error.
    InputFile(const std::string& path, std::uint64_t offset, std::uint64_t bytes, SourceLocation where);

    /// Reads to `slot` + offset % file_page; `slot` is aligned to a page and has room for two more. From
    /// several threads. Throws Error.
    void read(std::byte* slot, std::uint64_t offset, std::size_t bytes);

private:
    std::size_t read_cached(std::byte* to, std::uint64_t offset, std::size_t bytes) const;
    std::size_t read_direct(std::byte* slot, std::uint64_t offset, std::size_t bytes);
    void read_through(std::byte* to, std::uint64_t offset, std::size_t bytes, bool keep) const;

    PageCache cache_;
};

class OutputFile : public File {
public:
    /// Whole: a new file beside `path`, to which commit() gives that place and which the destructor removes
    /// otherwise. Else `path` itself. Throws Error.
    OutputFile(const std::string& path, bool whole, std::uint64_t bytes, SourceLocation where);

    /// From several threads; `from` may be aligned to a page. Throws Error.
    void write(const std::byte* from, std::uint64_t offset, std::size_t bytes);
    /// Makes it durable and gives it its place. Throws Error.
    void commit();

private:
    void write_in_place(const std::string& path, SourceLocation where);
    void write_anew(const std::string& path, std::uint64_t bytes, SourceLocation where);
    void write_through(const std::byte* from, std::uint64_t offset, std::size_t bytes) const;

    std::optional<NewFile> whole_;
};

} // namespace ferry::detail::staging
