// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ferry::cache {

/// The directory and the limit of a cache.
struct Location {
    std::string directory;   ///< Absolute. Empty: there is none, and `note` has the reason.
    std::string existing;    ///< The part of `directory` that is never created: the user's home.
    std::uint64_t limit = 0; ///< Bytes. 0: off, and `note` has the reason.
    std::string note;
};

/// The location according to the present values of FERRY_CACHE_DIR, XDG_CACHE_HOME, HOME and
/// FERRY_CACHE_LIMIT. Accesses no file. Throws only std::bad_alloc.
Location location_from_environment();

} // namespace ferry::cache
