// SPDX-License-Identifier: Apache-2.0
#include "real.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

void* real_function(const char* name) {
    // Never closed, because drivers do not support that.
    static void* const library = [] {
        const char* const named = std::getenv("FERRY_DOUBLE_OPENCL_LIBRARY");
        return dlopen(named != nullptr ? named : "libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    }();
    void* const found = library != nullptr ? dlsym(library, name) : nullptr;
    if (found == nullptr) {
        std::fprintf(stderr, "The OpenCL stand-in finds no %s: %s\n", name, dlerror());
        std::abort();
    }
    return found;
}
