// SPDX-License-Identifier: Apache-2.0
// A library that the vendor libraries of this folder need until their destructors have run.
#include "faults.hpp"

#include <dlfcn.h>

namespace {

void* late = nullptr;
bool ready = false;

__attribute__((constructor)) void construct() {
    late = ::dlopen(FERRY_EVIL_LATE, RTLD_NOW);
    ready = late != nullptr;
}
__attribute__((destructor)) void destruct() {
    ready = false;
    ::dlclose(late); // The loader keeps it, as it is at the end of the process.
}

} // namespace

FERRY_EVIL_EXPORT bool evil_base_is_ready() {
    return ready;
}
