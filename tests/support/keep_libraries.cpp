// SPDX-License-Identifier: Apache-2.0
// Replaces a function of the C library in programs under AddressSanitizer. Leaks of drivers are suppressed by
// library name (tests/tools/lsan.supp), but the name is lost once the library is closed. OpenCL's loader
// closes drivers without a device.

extern "C" __attribute__((visibility("default"))) int dlclose(void* /*library*/) {
    return 0;
}
