// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ferry_double {

/// The facts about a vendor's library that the engine needs. Each library defines `library_facts`.
struct LibraryFacts {
    const char* architecture; ///< of the devices, unless FERRY_DOUBLE_ARCH sets another one
    unsigned int warp_width;
    unsigned int plain_shared_bytes; ///< dynamic shared memory of a kernel without a request for more
    int first_device;                ///< the current device on a new thread; -1: none
};
extern const LibraryFacts library_facts;

/// The names of all functions that the library may export; null after the last one. Each library defines it.
extern const char* const library_symbols[];

} // namespace ferry_double
