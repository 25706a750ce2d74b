// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>

#include <cstddef>
#include <string>

namespace ferry::detail {

/// "the first 5 of 9 bytes were copied"
inline std::string first_part(std::size_t done, std::size_t bytes, const char* verb) {
    return "the first " + std::to_string(done) + " of " + std::to_string(bytes) + " bytes were " + verb;
}

/// The error of a command that consists of several vendor calls. States the part done before the failed call.
inline Error after_part(const Error& error, const std::string& done) {
    return error.with_message(done + "; the part that failed: " + error.what());
}

} // namespace ferry::detail
