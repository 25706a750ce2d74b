// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "session.hpp"

#include <ferry/capabilities.hpp>

// Tests of what is said about memory. All of them do only what the facts allow: what is undefined where it is
// not promised would have to run in a process of its own, and a library has none.
namespace ferry::detail::litmus {

/// The facts after every test that fits the kind. A
/// test that fails to run, or has no time left, leaves its facts alone.
MemoryCapabilities measure(Session& session, MemoryCapabilities facts);

// Each looks at what the facts say so far, and settles some of them. They throw Error.

/// One address for both sides?
void test_address(Session& session, MemoryCapabilities& facts);
/// Whether each side sees what the other one wrote before and after a kernel, and whether the time for one
/// word grows with the buffer: then the driver moves it all behind the program's back.
void test_storage(Session& session, MemoryCapabilities& facts);
/// The same of memory that the program made, imported: all that is tested of that kind. What is wrong then
/// cannot be used in place at all.
void test_imported(Session& session, MemoryCapabilities& facts);
/// Words to and fro between the host and a kernel that runs.
void test_ordering(Session& session, MemoryCapabilities& facts);
/// Both sides count in one word.
void test_atomics(Session& session, MemoryCapabilities& facts);
/// How fast kernels read it, beside the device's own memory, the first time and the second.
void test_reach(Session& session, MemoryCapabilities& facts);
/// How fast the host reads it, beside ordinary memory.
void test_host_cache(Session& session, MemoryCapabilities& facts);

} // namespace ferry::detail::litmus
