// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

// Waits between the threads of a block or of a warp. Included only if the text uses them.

namespace ferry_double {

// Every thread stores its value and reads that of `from`. The second barrier makes the slot free again.
template <class T>
inline T exchange(T value, unsigned int from) {
    static_assert(sizeof(T) <= sizeof(unsigned long long));
    Block& b = *block_state;
    __builtin_memcpy(&b.slots[b.linear], &value, sizeof value);
    warp_barrier();
    T result;
    __builtin_memcpy(&result, &b.slots[from], sizeof result);
    warp_barrier();
    return result;
}

inline unsigned int lane() {
    return block_state->linear % block_state->launch->warp;
}

// The thread of lane `lane` in this thread's part of `width` lanes; this thread if there is none.
inline unsigned int lane_thread(unsigned int target, int width) {
    const Block& b = *block_state;
    const unsigned int mine = lane();
    const unsigned int part = mine / unsigned(width) * unsigned(width);
    const bool inside = target >= part && target < part + unsigned(width);
    const unsigned int thread = b.linear - mine + (inside ? target : mine);
    return thread < b.size ? thread : b.linear;
}

inline int vote(int predicate, int kind) {
    Block& b = *block_state;
    if (predicate != 0) {
        ++b.votes[kind];
    }
    barrier();
    const int result = b.votes[kind];
    barrier();
    b.votes[kind] = 0;
    barrier();
    return result;
}

} // namespace ferry_double

inline void __syncthreads() {
    ferry_double::barrier();
}
inline int __syncthreads_count(int p) {
    return ferry_double::vote(p, 0);
}
inline int __syncthreads_or(int p) {
    return ferry_double::vote(p, 1) != 0;
}
inline int __syncthreads_and(int p) {
    return ferry_double::vote(p == 0, 2) == 0;
}
inline void __syncwarp(unsigned long long = ~0ULL) {
    ferry_double::warp_barrier();
}

template <class T>
inline T __shfl(T v, int source, int width = warpSize) {
    const unsigned int part = ferry_double::lane() / unsigned(width) * unsigned(width);
    return ferry_double::exchange(
        v, ferry_double::lane_thread(part + unsigned(source) % unsigned(width), width));
}
template <class T>
inline T __shfl_down(T v, unsigned int delta, int width = warpSize) {
    return ferry_double::exchange(v, ferry_double::lane_thread(ferry_double::lane() + delta, width));
}
template <class T>
inline T __shfl_up(T v, unsigned int delta, int width = warpSize) {
    return ferry_double::exchange(v, ferry_double::lane_thread(ferry_double::lane() - delta, width));
}
template <class T>
inline T __shfl_xor(T v, int mask, int width = warpSize) {
    return ferry_double::exchange(v, ferry_double::lane_thread(ferry_double::lane() ^ unsigned(mask), width));
}
inline unsigned long long __ballot(int predicate) {
    ferry_double::Block& b = *ferry_double::block_state;
    const unsigned int first = b.linear - ferry_double::lane();
    b.slots[b.linear] = predicate != 0 ? 1 : 0;
    ferry_double::warp_barrier();
    unsigned long long result = 0;
    for (unsigned int i = 0; i != b.launch->warp && first + i < b.size; ++i) {
        result |= b.slots[first + i] << i;
    }
    ferry_double::warp_barrier();
    b.slots[b.linear] = 0;
    return result;
}
inline int __any(int predicate) {
    return __ballot(predicate) != 0;
}
inline int __all(int predicate) {
    return __ballot(predicate == 0) == 0;
}
