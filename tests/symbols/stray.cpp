// SPDX-License-Identifier: Apache-2.0
// A name that a program shows to others and should not: check.sh must say so.
extern "C" __attribute__((visibility("default"))) void ferry_stray_name() {}
