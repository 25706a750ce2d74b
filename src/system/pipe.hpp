// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <chrono>
#include <cstdint>
#include <span>

namespace ferry::detail {

/// A stream of bytes from children of this process. Other programs do not inherit its ends, except as
/// ProcessStart::output or ::errors.
struct Pipe {
    Pipe() noexcept; ///< If the system has no more, both ends are empty.
    FileDescriptor read_end, write_end;
};

/// Waits, at most so long, until one of the files has bytes or has ended. Bit i of the result is for
/// files[i]. Empty files are ignored. At most 8 files.
std::uint32_t wait_for_input(std::span<const FileDescriptor> files,
                             std::chrono::milliseconds longest) noexcept;

} // namespace ferry::detail
