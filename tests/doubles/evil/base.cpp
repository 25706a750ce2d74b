// SPDX-License-Identifier: Apache-2.0
// A library that the vendor libraries of this folder need until their destructors have run.
#include "faults.hpp"

namespace {

bool ready = false;

__attribute__((constructor)) void construct() {
    ready = true;
}
__attribute__((destructor)) void destruct() {
    ready = false;
}

} // namespace

FERRY_EVIL_EXPORT bool evil_base_is_ready() {
    return ready;
}
