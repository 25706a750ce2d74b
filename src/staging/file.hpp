// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "staging/page_cache.hpp"

#include <ferry/source_location.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ferry::detail::staging {

/// What transfers past the page cache are aligned to: file offset, length and memory.
constexpr std::size_t file_page = 4096;

/// An open file, by two ways where the file system has both: past the page cache, and through it.
class File {
public:
    File(const File&) = delete;
    File& operator=(const File&) = delete;

protected:
    File() = default;
    ~File();

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
    /// Whole: a new file beside `path`, which commit() gives that name and the destructor removes otherwise.
    /// Else `path` itself. Throws Error.
    OutputFile(const std::string& path, bool whole, std::uint64_t bytes, SourceLocation where);
    ~OutputFile();

    /// From several threads; `from` may be aligned to a page. Throws Error.
    void write(const std::byte* from, std::uint64_t offset, std::size_t bytes);
    /// Makes it durable and gives it its name. Throws Error.
    void commit();

private:
    void write_through(const std::byte* from, std::uint64_t offset, std::size_t bytes) const;

    const bool whole_;
    std::string temporary_; ///< empty once it has its name
};

} // namespace ferry::detail::staging
