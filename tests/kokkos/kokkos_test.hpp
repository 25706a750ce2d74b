// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>
#include <ferry/interop/kokkos.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kk = ferry::interop::kokkos;
using Word = std::uint32_t;

/// The device under test: the default device of FERRY_BACKEND.
const ferry::Device& device();

/// Kernels: iota(data, count, first) and slow(data, rounds), which ends with data[0] = rounds.
const ferry::Program& program();

inline ferry::Grid covering(std::size_t count) {
    return ferry::Grid::covering(count, 64);
}
inline Word word(std::size_t value) {
    return static_cast<Word>(value);
}

/// The Error thrown by `call`.
template <class F>
ferry::Error error_of(F&& call) {
    try {
        call();
    } catch (const ferry::Error& error) {
        return error;
    }
    return ferry::Error(ferry::Code::internal, "no error");
}

/// Whether the processor can access memory of kind device directly.
inline bool host_reaches() {
    return ferry::interop::host::reaches(device());
}
