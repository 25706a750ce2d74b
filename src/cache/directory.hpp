// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "location.hpp"
#include "system/file_descriptor.hpp"

#include <cstdint>
#include <string>

namespace ferry::cache {

/// A failed step, small enough for an atomic.
struct Failure {
    enum class Step : std::uint32_t {
        none,
        missing,     ///< The directory does not exist yet.
        make,        ///< The directory; number is errno.
        open,        ///< The directory; number is errno.
        owner,       ///< The directory belongs to another user; number is the user.
        permissions, ///< Others may write to it; number is its mode.
        read,        ///< An entry; number is errno.
        create,      ///< A temporary file; number is errno.
        write,       ///< To the temporary file; number is errno.
        publish,     ///< Renaming it; number is errno.
        remove,      ///< An entry; number is errno.
        too_large,   ///< The entry exceeds the limit.
        busy,        ///< Another process is making room.
        memory,      ///< Out of memory.
    };
    Step step = Step::none;
    std::uint32_t number = 0;

    explicit operator bool() const noexcept { return step != Step::none; }
};

/// A sentence. Empty for `none` and `missing`.
std::string text_of(const Failure& failure, const Location& location);

/// The cache's directory, opened for reading. It is opened again for each use, because a program that closes
/// all unknown descriptors could reuse the number of a kept one for another file. Rejected unless it belongs
/// to the user and only the user may write to it. `make` creates a missing directory with mode 0700.
detail::FileDescriptor open_directory(const Location& location, bool make, Failure& failure) noexcept;

/// For a missing directory: `missing`, or `make` if it cannot be created in the nearest existing folder above
/// it. Creates nothing.
Failure whether_it_can_be_made(const Location& location);

} // namespace ferry::cache
