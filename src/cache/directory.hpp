// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "file_descriptor.hpp"
#include "location.hpp"

#include <cstdint>
#include <string>

namespace ferry::cache {

/// What did not work, small enough to be kept in an atomic.
struct Failure {
    enum class Step : std::uint32_t {
        none,
        missing,     ///< the directory does not exist yet
        make,        ///< the directory, number is errno
        open,        ///< the directory, number is errno
        owner,       ///< the directory is another user's, number is the user
        permissions, ///< others may write to it, number is its mode
        read,        ///< an entry, number is errno
        create,      ///< a temporary file, number is errno
        write,       ///< to it, number is errno
        publish,     ///< to rename it, number is errno
        remove,      ///< an entry, number is errno
        too_large,   ///< the entry, for the limit
        busy,        ///< another process is making room
        memory,      ///< none left
    };
    Step step = Step::none;
    std::uint32_t number = 0;

    explicit operator bool() const noexcept { return step != Step::none; }
};

/// A sentence; empty for `none` and `missing`.
std::string text_of(const Failure& failure, const Location& location);

/// The cache's directory, open for reading. Opened anew for each use: a descriptor that is kept may become
/// another file's in a program that closes all it does not know. Refused unless it is the user's and only the
/// user may write to it. `make` makes it if it is missing, with mode 0700.
FileDescriptor open_directory(const Location& location, bool make, Failure& failure) noexcept;

/// Of a directory that is missing: `missing`, or `make` if the nearest folder above it takes none. Makes
/// nothing.
Failure whether_it_can_be_made(const Location& location);

} // namespace ferry::cache
