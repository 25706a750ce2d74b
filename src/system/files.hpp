// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ferry::detail {

/// Whether the path is a regular file that this process may run.
bool is_program(const std::string& path) noexcept;

/// The properties of the file behind all links that decide whether it is started.
struct FileFacts {
    bool regular = false;
    bool anyone_writes = false;
    std::uint32_t owner = 0; ///< The number of a user.
};
/// Empty if there is no such file.
std::optional<FileFacts> file_facts(const std::string& path) noexcept;
/// Whether this process may read and run the file.
bool may_read_and_run(const std::string& path) noexcept;
/// The user whose rights this process has.
std::uint32_t effective_user() noexcept;

/// The folder that relative paths start from; empty if it is gone.
std::string working_directory();
/// The path without links; empty if there is no such file.
std::string resolved_path(const std::string& path);

/// Opens a file for reading. It is not inherited by other programs. On failure, the result is empty and errno
/// is set.
FileDescriptor open_for_reading(const std::string& path) noexcept;
/// Opens a new or emptied file for writing. Only this user can read a new one. It is not inherited by other
/// programs. On failure, the result is empty and errno is set.
FileDescriptor create_private_file(const std::string& path) noexcept;

} // namespace ferry::detail
