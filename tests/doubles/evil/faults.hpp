// SPDX-License-Identifier: Apache-2.0
#pragma once

// A vendor library that misbehaves. FERRY_DOUBLE_EVIL is "ENTRY:FAULT[,ENTRY:FAULT...]": ENTRY is a function
// of the library, "constructor" or "destructor"; FAULT is a name in faults.cpp. FERRY_DOUBLE_EVIL_LOG names a
// file that gets a line for each process that opens the library.
namespace evil {

/// Commits the faults of this entry. Returns if the faults allow it.
void enter(const char* entry);

} // namespace evil

#define FERRY_EVIL_EXPORT extern "C" __attribute__((visibility("default")))

/// Whether the library that all of these need can be used.
FERRY_EVIL_EXPORT bool evil_base_is_ready();
