// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <cstdint>
#include <string>

namespace ferry::detail::staging {

/// "The file 'x' cannot be opened for reading: Permission denied"
[[noreturn]] void throw_open_error(const std::string& path, const char* purpose, int error,
                                   SourceLocation where);

/// "Writing 4096 bytes at byte 8192 of the file 'x' failed: No space left on device"
[[noreturn]] void throw_transfer_error(const char* doing, const std::string& path, std::uint64_t offset,
                                       std::uint64_t bytes, const std::string& why);

/// The system's message for an errno value.
std::string words_of(int error);

} // namespace ferry::detail::staging
