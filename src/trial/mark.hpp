// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/version.hpp>

// Stands in the bytes of each program that calls serve(), with the version that it was made for: a process
// starts no program that has not got its own version's.
#define FERRY_MARK_OF(x) #x
#define FERRY_MARK_TEXT(x) FERRY_MARK_OF(x)
#define FERRY_TRIAL_MARK_HEAD "ferry-litmus-"
#define FERRY_TRIAL_MARK_TAIL                                           \
    "tool 5 " FERRY_MARK_TEXT(FERRY_VERSION_MAJOR) "." FERRY_MARK_TEXT( \
        FERRY_VERSION_MINOR) "." FERRY_MARK_TEXT(FERRY_VERSION_PATCH) ";"
#define FERRY_TRIAL_MARK FERRY_TRIAL_MARK_HEAD FERRY_TRIAL_MARK_TAIL
