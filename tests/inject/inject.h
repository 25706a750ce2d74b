// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions by which a test controls a forwarding library (forward.cpp). All are thread-safe.
#ifdef __cplusplus
extern "C" {
#endif

/// Resets the counts of calls of each symbol. Fails `times` consecutive calls of `symbol` with `code`,
/// beginning with call number `first` (from 1). -1 for `symbol`: no call fails. `waits`: a failing call that
/// waits does so before it returns.
void ferry_inject_arm(int symbol, long first, long times, int code, int waits);
/// Afterwards every call that waits for the device or queries its progress returns `code` and does nothing
/// else. 0: they work again.
void ferry_inject_refuse_waits(int code);
/// Afterwards a successful call of `symbol` returns absurd values through its pointers, or null. 1: zero and
/// null. 2: all bits set. 3: the largest number, and names without an end. Pointers only ever become null. 0:
/// normal answers again. `query`: the only query (CL_DEVICE_NAME) of an OpenCL function clGet...Info that
/// does so. 0: all.
void ferry_inject_answer(int symbol, unsigned query, int kind);
/// The number of a query of an OpenCL function clGet...Info since ferry_inject_arm(), by its index. 0 after
/// the last one.
unsigned ferry_inject_query(int symbol, int index);
/// The number of calls of a symbol since ferry_inject_arm().
long ferry_inject_calls(int symbol);
/// The name of a symbol, by its number from 0. Null after the last one.
const char* ferry_inject_name(int symbol);
/// The number of calls that failed since ferry_inject_arm().
long ferry_inject_failed(void);
/// The number of allocations and memory objects that were freed so far.
long ferry_inject_freed(void);
/// What ferry_inject_handles() counts. Objects: queues, streams, programs, modules, kernels and graphs.
/// Memory: allocations, memory objects, registered pages and imports.
enum HandleKind { handles_of_objects, handles_of_events, handles_of_memory, handle_kinds };
/// The number of live handles of a kind: created and retained, minus released.
long ferry_inject_handles(int kind);

#ifdef __cplusplus
}
#endif
