// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file/new_file.hpp"
#include "staging/slots.hpp"
#include "system/page_cache.hpp"

#include <ferry/source_location.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ferry::detail::staging {

/// An open file. If the file system supports direct I/O, it is open twice: direct, and through the page
/// cache.
class File {
public:
    File(const File&) = delete;
    File& operator=(const File&) = delete;

protected:
    File() = default;
    ~File() = default;

    /// Opens the same file again for direct I/O. Does nothing if the file system does not support it.
    void open_direct(const FileDescriptor& folder, const std::string& name, OpenOptions options);
    /// After a direct transfer. Throws Error if it failed for another reason than that the file system does
    /// not support direct I/O there.
    void check_direct(const Transferred& transferred, const char* doing, std::uint64_t offset,
                      std::size_t bytes);

    FileDescriptor cached_;
    FileDescriptor direct_;
    std::atomic<bool> use_direct_{false};
    std::string path_;
};

class InputFile : public File {
public:
    /// Opens a regular file or a block device, and checks that it contains the range. Throws Error.
    InputFile(const std::string& path, std::uint64_t offset, std::uint64_t bytes, SourceLocation where);

    /// Reads to `slot` + offset % file_page. `slot` must be aligned to a page and two pages larger than a
    /// piece. Callable from several threads. Throws Error.
    void read(std::byte* slot, std::uint64_t offset, std::size_t bytes);

private:
    std::size_t read_direct(std::byte* slot, std::uint64_t offset, std::size_t bytes);
    void read_through(std::byte* to, std::uint64_t offset, std::size_t bytes, bool keep) const;

    PageCache cache_;
};

class OutputFile : public File {
public:
    /// If `whole`, writes a new file in the folder of `path`: commit() renames it to `path`, and the
    /// destructor removes it otherwise. If not, writes `path` itself. Throws Error.
    OutputFile(const std::string& path, bool whole, std::uint64_t bytes, SourceLocation where);

    /// Callable from several threads. Direct I/O needs an aligned `from`. Throws Error.
    void write(const std::byte* from, std::uint64_t offset, std::size_t bytes);
    /// Flushes the file to the disk, and renames it if it is new. Throws Error.
    void commit();

private:
    void write_in_place(const std::string& path, SourceLocation where);
    void write_anew(const std::string& path, std::uint64_t bytes, SourceLocation where);
    void write_through(const std::byte* from, std::uint64_t offset, std::size_t bytes) const;

    std::optional<NewFile> whole_;
};

} // namespace ferry::detail::staging
