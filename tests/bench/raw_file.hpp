// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace bench {

/// The speed of a disk for a program that uses it well. Several threads handle pieces of the file in turn,
/// without the page cache if the file system allows that.
class RawFile {
public:
    /// Throws std::system_error if the file cannot be made.
    RawFile(std::string path, unsigned threads, std::size_t piece);

    bool direct() const noexcept { return direct_; }
    /// Rewrites the file. Returns when the disk reports that the data is stored. The span begins at a page.
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
