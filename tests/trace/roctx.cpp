// SPDX-License-Identifier: Apache-2.0
// The functions of ROCTX that Ferry calls. A profiler of AMD loads such a library into the process.
#include "told_ranges.hpp"

extern "C" {
__attribute__((visibility("default"))) int roctxRangePushA(const char* name) {
    return told_ranges::push(name);
}
__attribute__((visibility("default"))) int roctxRangePop() {
    return told_ranges::pop();
}
}
