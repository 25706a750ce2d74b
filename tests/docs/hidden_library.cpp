// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: dlopen() finds no library whose name contains the text of FERRY_TEST_HIDDEN. So a test of a
// missing library passes on machines that have it.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* name, int flags) {
    using Open = void*(const char*, int);
    static Open* const real = reinterpret_cast<Open*>(dlsym(RTLD_NEXT, "dlopen"));
    const char* const hidden = std::getenv("FERRY_TEST_HIDDEN");
    const bool hides = hidden != nullptr && name != nullptr && std::strstr(name, hidden) != nullptr;
    return real(hides ? "libferry_hidden_by_a_test.so" : name, flags); // dlerror() then has an error
}
