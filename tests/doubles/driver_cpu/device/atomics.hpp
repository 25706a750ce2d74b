// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

// Atomics are real, because kernels of other streams may use the same memory at the same time.

namespace ferry_double {
template <class T, class F>
inline T update(T* p, F f) {
    T old;
    __atomic_load(p, &old, __ATOMIC_SEQ_CST);
    if (block_state->launch->torn_atomics != 0) {
        for (volatile int i = 0; i < 50; i = i + 1) { // leaves time for other accesses
        }
        T next = f(old);
        __atomic_store(p, &next, __ATOMIC_SEQ_CST);
        return old;
    }
    for (;;) {
        T next = f(old);
        if (__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            return old;
        }
    }
}
template <class T>
struct Same {
    using type = T;
};
template <class T>
using same = typename Same<T>::type;
} // namespace ferry_double

#define FERRY_ATOMIC(name, expression)                                          \
    template <class T>                                                          \
    inline T name(T* p, ferry_double::same<T> v) {                              \
        return ferry_double::update(p, [v](T old) -> T { return expression; }); \
    }                                                                           \
    template <class T>                                                          \
    inline T name##_system(T* p, ferry_double::same<T> v) {                     \
        return name(p, v);                                                      \
    }                                                                           \
    template <class T>                                                          \
    inline T name##_block(T* p, ferry_double::same<T> v) {                      \
        return name(p, v);                                                      \
    }

FERRY_ATOMIC(atomicAdd, old + v)
FERRY_ATOMIC(atomicSub, old - v)
FERRY_ATOMIC(atomicMin, v < old ? v : old)
FERRY_ATOMIC(atomicMax, old < v ? v : old)
FERRY_ATOMIC(atomicAnd, old& v)
FERRY_ATOMIC(atomicOr, old | v)
FERRY_ATOMIC(atomicXor, old ^ v)
FERRY_ATOMIC(atomicExch, ((void)old, v))
FERRY_ATOMIC(atomicInc, old >= v ? T(0) : T(old + 1))
FERRY_ATOMIC(atomicDec, old == 0 || old > v ? v : T(old - 1))

template <class T>
inline T atomicCAS(T* p, ferry_double::same<T> expected, ferry_double::same<T> desired) {
    __atomic_compare_exchange(p, &expected, &desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
template <class T>
inline T atomicCAS_system(T* p, ferry_double::same<T> expected, ferry_double::same<T> desired) {
    return atomicCAS(p, expected, desired);
}
