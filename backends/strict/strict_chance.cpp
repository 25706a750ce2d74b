// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_chance.hpp"

#include <atomic>

namespace ferry::host {
namespace {

std::atomic<std::uint64_t> seed_of_process{0};
std::atomic<std::uint64_t> queues{0};

} // namespace

void set_strict_seed(std::uint64_t seed) noexcept {
    seed_of_process = seed;
}

std::string strict_note() {
    return " (strict host device, FERRY_HOST_SEED=" + std::to_string(seed_of_process.load()) + ")";
}

std::uint64_t strict_key(std::uint64_t number) noexcept {
    return seed_of_process.load() * 0xd6e8feb86659fd93U + (number << 40U);
}

Chance::Chance() noexcept : state_(seed_of_process.load() + (queues.fetch_add(1) << 40U)) {}

// A counter with mixed bits: multiply and shift until every bit depends on every other.
std::uint64_t Chance::next() noexcept {
    constexpr std::uint64_t step = 0x9e3779b97f4a7c15; // 2^64 divided by the golden ratio.
    std::uint64_t z = state_ += step;
    z = (z ^ (z >> 31U)) * 0xd6e8feb86659fd93;
    z = (z ^ (z >> 29U)) * 0xd6e8feb86659fd93;
    return z ^ (z >> 32U);
}

std::chrono::microseconds Chance::delay() noexcept {
    const std::uint64_t dice = below(64);
    const std::uint64_t most = dice == 0 ? 2000 : dice < 8 ? 100 : 0;
    return std::chrono::microseconds(most == 0 ? 0 : below(most));
}

} // namespace ferry::host
