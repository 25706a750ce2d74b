// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lanes.hpp"

#include <type_traits>

namespace amd_gpu {

enum class Atomic : u8 {
    swap,
    compare_swap,
    add,
    subtract,
    subtract_from, // value - memory
    signed_minimum,
    unsigned_minimum,
    signed_maximum,
    unsigned_maximum,
    bit_and,
    bit_or,
    bit_xor,
    increment,
    decrement,
    float_add,
    float_minimum,
    float_maximum,
};

template <Atomic operation, class T>
T combined(T old, T value, T expected) {
    using Signed = std::make_signed_t<T>;
    const auto floating = [](T bits) {
        if constexpr (sizeof(T) == 8) {
            return as_double(bits);
        } else {
            return as_float(bits);
        }
    };
    switch (operation) {
    case Atomic::swap:
        return value;
    case Atomic::compare_swap:
        return old == expected ? value : old;
    case Atomic::add:
        return old + value;
    case Atomic::subtract:
        return old - value;
    case Atomic::subtract_from:
        return value - old;
    case Atomic::signed_minimum:
        return static_cast<Signed>(value) < static_cast<Signed>(old) ? value : old;
    case Atomic::unsigned_minimum:
        return value < old ? value : old;
    case Atomic::signed_maximum:
        return static_cast<Signed>(value) > static_cast<Signed>(old) ? value : old;
    case Atomic::unsigned_maximum:
        return value > old ? value : old;
    case Atomic::bit_and:
        return old & value;
    case Atomic::bit_or:
        return old | value;
    case Atomic::bit_xor:
        return old ^ value;
    case Atomic::increment:
        return old >= value ? 0 : old + 1;
    case Atomic::decrement:
        return old == 0 || old > value ? value : old - 1;
    case Atomic::float_add:
        return bits_of(floating(old) + floating(value));
    case Atomic::float_minimum:
        return floating(value) < floating(old) ? value : old;
    case Atomic::float_maximum:
        return floating(value) > floating(old) ? value : old;
    }
    return old;
}

// Atomic with respect to every thread of the process. AT is aligned. Returns the old value.
template <Atomic operation, class T>
T apply_atomic(u8* at, T value, T expected) {
    T* const memory = reinterpret_cast<T*>(at);
    T old = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(memory, &old, combined<operation>(old, value, expected), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
    return old;
}

} // namespace amd_gpu
