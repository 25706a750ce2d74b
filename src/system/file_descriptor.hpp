// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace ferry::detail {

/// Owns an open file; closes it.
class FileDescriptor {
public:
    FileDescriptor() noexcept = default;
    explicit FileDescriptor(int number) noexcept : number_(number) {}
    FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~FileDescriptor();

    explicit operator bool() const noexcept { return number_ >= 0; }
    int get() const noexcept { return number_; }
    /// The caller owns the file.
    int release() noexcept { return std::exchange(number_, -1); }

private:
    int number_ = -1;
};

/// A second descriptor of an open file, which belongs to the caller. Empty with errno set on failure.
FileDescriptor duplicate(int number) noexcept;
/// Reads at the position of the file. Returns the number of bytes, 0 at the end, or -1 with errno set.
std::ptrdiff_t read_some(const FileDescriptor& file, void* to, std::size_t bytes) noexcept;
/// Writes all bytes. Returns false with errno set on failure. Checks the process's limit on file sizes first,
/// because the system would also end the process with a signal if the limit is exceeded.
bool write_all(const FileDescriptor& file, std::string_view bytes) noexcept;

/// Whether a descriptor of this process is a terminal.
bool is_terminal(int number) noexcept;

} // namespace ferry::detail
