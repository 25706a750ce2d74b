// SPDX-License-Identifier: Apache-2.0
// The loader never unloads this library, because its inline variable has one address in the whole process.
inline int uses = 0;

extern "C" __attribute__((visibility("default"))) int answer() {
    ++uses;
    return ANSWER;
}

extern "C" __attribute__((visibility("default"))) int* uses_address() {
    return &uses;
}
