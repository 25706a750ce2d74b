// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ferry::detail {

/// "SIZE MTIME INODE" of the file behind all links, MTIME in nanoseconds; empty if there is no such file.
/// One call of the system.
std::string stamp_of(const std::string& path);

/// "STAMP PATH", a line of a record without its end; empty if there is no such file.
std::string stamp_line(const std::string& path);
/// Whether the file of such a line is still the same.
bool is_current(std::string_view line);

/// The first 4 KiB of a file; empty if it cannot be read. Much quicker than a stream.
std::string beginning_of(const std::string& path);

} // namespace ferry::detail
