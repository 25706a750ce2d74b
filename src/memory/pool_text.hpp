// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/error.hpp>
#include <ferry/memory.hpp>
#include <ferry/pool.hpp>

#include <cstdint>

namespace ferry::detail {

/// The reason why a pool has no room, in numbers.
struct PoolRefusal {
    MemoryKind kind{};
    PoolUse sum;
    std::uint64_t limit = 0;
    std::uint64_t budget = 0; ///< Of unused page-locked memory.
};

/// out_of_memory: the driver's message if it refused, and the contents of the pool.
Error describe(const PoolRefusal& told, const Error* driver);

} // namespace ferry::detail
