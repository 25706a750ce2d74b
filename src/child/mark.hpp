// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/version.hpp>

// A mark in the bytes of each program that calls serve(), with its version. A process starts only programs
// with the mark of its own version.
#define FERRY_MARK_OF(x) #x
#define FERRY_MARK_TEXT(x) FERRY_MARK_OF(x)
#define FERRY_TRIAL_MARK_HEAD "ferry-litmus-"
#define FERRY_TRIAL_MARK_TAIL                                           \
    "tool 6 " FERRY_MARK_TEXT(FERRY_VERSION_MAJOR) "." FERRY_MARK_TEXT( \
        FERRY_VERSION_MINOR) "." FERRY_MARK_TEXT(FERRY_VERSION_PATCH) ";"
#define FERRY_TRIAL_MARK FERRY_TRIAL_MARK_HEAD FERRY_TRIAL_MARK_TAIL
