// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions by which a test controls a forwarding library (forward.cpp). All are thread-safe.
#ifdef __cplusplus
extern "C" {
#endif

/// Counts the calls of each symbol from 1 on from now. Fails `times` calls of `symbol` in a row, from its
/// call number `first` on, with `code`. -1 for `symbol`: no call fails. `waits`: a failing call that waits
/// does so before it returns.
void ferry_inject_arm(int symbol, long first, long times, int code, int waits);
/// From now on, every call that waits for the device or asks how far it is returns `code` and does nothing
/// else. 0: they work again.
void ferry_inject_refuse_waits(int code);
/// From now on, what a successful call of `symbol` answers through its pointers is absurd: 1: zero and null,
/// 2: all bits set, 3: the largest number, and names without an end. Null is the one absurd pointer. 0: no
/// more.
void ferry_inject_answer(int symbol, int kind);
/// Calls of a symbol since ferry_inject_arm().
long ferry_inject_calls(int symbol);
/// The name of a symbol, by number from 0 on. Null after the last one.
const char* ferry_inject_name(int symbol);
/// Calls that failed since ferry_inject_arm().
long ferry_inject_failed(void);
/// Allocations and memory objects that were given back so far.
long ferry_inject_freed(void);
/// Handles that live now: created and retained less released. Events and memory are not counted, because
/// Ferry keeps some for later.
long ferry_inject_handles(void);

#ifdef __cplusplus
}
#endif
