// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions by which a test controls a forwarding library (forward.cpp). All are thread-safe.
#ifdef __cplusplus
extern "C" {
#endif

/// Counts calls from 1 on from now. Fails `times` calls of the symbol that makes call number `first`, from
/// that call on. 0 for `first`: no call fails. A failed call returns `code`.
void ferry_inject_arm(long first, long times, int code);
/// Calls since ferry_inject_arm().
long ferry_inject_calls(void);
/// The symbol that made a call since ferry_inject_arm(), by number from 1 on. -1: there was no such call.
int ferry_inject_symbol_of(long call);
/// The name of a symbol, by number from 0 on. Null behind the last one.
const char* ferry_inject_name(int symbol);
/// The symbol that failed since ferry_inject_arm(). -1: none.
int ferry_inject_failed(void);
/// Handles that live now: created and retained less released. Events and memory are not counted, because
/// Ferry keeps some for later.
long ferry_inject_handles(void);

#ifdef __cplusplus
}
#endif
