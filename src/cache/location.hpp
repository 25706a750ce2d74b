// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ferry::cache {

/// Where a cache is and how much it may hold.
struct Location {
    std::string directory;   ///< absolute; empty: there is none, and `note` says why
    std::string existing;    ///< the part of `directory` that is not made if it is missing: the user's home
    std::uint64_t limit = 0; ///< bytes; 0: off, and `note` says why
    std::string note;
};

/// What FERRY_CACHE_DIR, XDG_CACHE_HOME, HOME and FERRY_CACHE_LIMIT say now. Touches no file. Throws
/// std::bad_alloc only.
Location location_from_environment();

} // namespace ferry::cache
