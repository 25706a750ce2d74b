// SPDX-License-Identifier: Apache-2.0
#include "file/file_error.hpp"

#include "base/text.hpp"

#include <cerrno>
#include <system_error>

namespace ferry::detail::staging {

std::string words_of(int error) {
    return std::generic_category().message(error);
}

void throw_open_error(const std::string& path, const char* purpose, int error, SourceLocation where) {
    throw Error(error == ENOENT ? Code::not_found : Code::unavailable,
                "The file '" + path + "' cannot be " + purpose + ": " + words_of(error), where);
}

void throw_transfer_error(const char* doing, const std::string& path, std::uint64_t offset,
                          std::uint64_t bytes, const std::string& why) {
    throw Error(Code::command_failed, std::string(doing) + " " + in_bytes(bytes) + " at byte " +
                                          std::to_string(offset) + " of the file '" + path +
                                          "' failed: " + why);
}

} // namespace ferry::detail::staging
