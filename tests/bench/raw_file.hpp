// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bench {

/// What a disk gives a program that asks it well: some threads, each with pieces of the file in turn, past
/// the page cache where the file system allows that.
class RawFile {
public:
    /// Throws std::system_error if the file cannot be made.
    RawFile(std::string path, unsigned threads, std::size_t piece);

    bool direct() const noexcept { return direct_; }
    /// Writes the file anew, and returns when the disk says that it has it. The span begins at a page.
    void write(std::span<const std::byte> bytes);
    void read(std::span<std::byte> bytes);

private:
    template <class Transfer>
    void in_pieces(std::size_t bytes, int flags, const Transfer& transfer);

    std::string path_;
    unsigned threads_;
    std::size_t piece_;
    bool direct_ = false;
};

} // namespace bench
