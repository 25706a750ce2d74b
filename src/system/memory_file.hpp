// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "system/file_descriptor.hpp"

#include <string>
#include <string_view>

namespace ferry::detail {

/// A file without a name in any folder, with these bytes, which no process can change any more. It may hold
/// code. `label`: for readers of /proc/self/maps, at most 200 characters. Empty if the system has no such
/// files.
FileDescriptor sealed_memory_file(const std::string& label, std::string_view bytes) noexcept;

} // namespace ferry::detail
