// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "aware_mpi.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace mpi = ferry::interop::mpi;
using Word = std::uint32_t;

/// All ranks, each with its device. All tests use the same object.
mpi::Communicator& world();

/// The values that rank `of` sends in round `round`.
inline std::vector<Word> values(std::size_t count, int of, int round) {
    std::vector<Word> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] =
            static_cast<Word>(i * 2654435761U) ^ (static_cast<Word>(of) << 24) ^ static_cast<Word>(round);
    }
    return result;
}

inline int next() {
    return (world().rank() + 1) % world().size();
}
inline int previous() {
    return (world().rank() + world().size() - 1) % world().size();
}
