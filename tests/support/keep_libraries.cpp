// SPDX-License-Identifier: Apache-2.0
// In programs under AddressSanitizer, in place of the C library's: what a driver leaks is suppressed by its
// name (tests/tools/lsan.supp), which is gone once the library is. OpenCL's loader closes drivers without a
// device.

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*library*/) {
    return 0;
}
