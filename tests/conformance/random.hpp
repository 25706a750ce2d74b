// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

namespace conformance {

/// FERRY_TEST_SEED, or a new seed in every process.
std::uint64_t process_seed();

/// Seeds random_engine() from the process's seed and a name. So a test gets the same data alone and in a full
/// run.
void seed_random(std::string_view name);
std::mt19937_64& random_engine();

inline std::size_t random_below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_engine());
}

template <class T>
std::vector<T> random_values(std::size_t size) {
    std::vector<T> result(size);
    for (T& value : result) {
        const std::uint64_t bits[2] = {random_engine()(), random_engine()()};
        if constexpr (sizeof(T) <= sizeof bits) {
            std::memcpy(&value, bits, sizeof(T));
        }
    }
    return result;
}
/// Whole numbers below 2^20, so that the result of float arithmetic on them is exact.
std::vector<float> random_floats(std::size_t size);

/// The initial content of an output, so that a command that does nothing is detected.
template <class T>
std::vector<T> poison(std::size_t size) {
    std::vector<T> result(size);
    std::memset(static_cast<void*>(result.data()), 0xa5, size * sizeof(T));
    return result;
}

/// Sizes that reveal rounding errors: one, primes, numbers around powers of two.
inline constexpr std::size_t odd_sizes[] = {1, 2, 3, 31, 64, 65, 257, 1009, 4095, 65537};

} // namespace conformance
