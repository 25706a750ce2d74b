// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace ferry::host {

/// The seed of the strict device, FERRY_HOST_SEED or a new one for each process.
void set_strict_seed(std::uint64_t seed) noexcept;
/// " (strict host device, FERRY_HOST_SEED=42)", for messages.
std::string strict_note();
/// A number for object `number` that differs from process to process as the seed does.
std::uint64_t strict_key(std::uint64_t number) noexcept;

/// The random choices of one queue. They depend on the seed and on the number of queues created before it.
class Chance {
public:
    Chance() noexcept;

    /// 0 .. n - 1; n is not zero.
    std::uint64_t below(std::uint64_t n) noexcept { return next() % n; }
    /// How long a command lets others run first: mostly 0, seldom two milliseconds.
    std::chrono::microseconds delay() noexcept;

private:
    std::uint64_t next() noexcept;
    std::uint64_t state_;
};

} // namespace ferry::host
