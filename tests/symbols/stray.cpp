// SPDX-License-Identifier: Apache-2.0
// A name that a program exports but should not. check.sh must report it.
extern "C" __attribute__((visibility("default"))) void ferry_stray_name() {}
