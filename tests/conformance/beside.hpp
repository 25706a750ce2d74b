// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "check.hpp"
#include "kernels.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

namespace conformance {

/// Kernels of about 30 ms work on the halves of `memory` in turn. In the first 10 ms of each kernel, `host`
/// writes numbers to the other half. `used` makes a kernel argument of a half. `look` is called before the
/// words are compared. All words must then be right.
template <class Used, class Host, class Look = void (*)()>
void check_beside(
    ferry::Queue& queue, std::span<std::uint32_t> memory, Used used, Host host, Look look = [] {}) {
    const ferry::Kernel spin = kernel(queue.device(), "spin");
    const std::size_t half = memory.size() / 2;
    const ferry::Grid grid = ferry::Grid::covering(half, 64);
    REQUIRE(half % 64 == 0);
    std::uint32_t rounds = 1000;
    const auto since = [](std::chrono::steady_clock::time_point begin) {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    for (double seconds = 0; seconds < 0.03 && rounds < 1U << 30; rounds *= 2) {
        const auto begin = std::chrono::steady_clock::now();
        queue.launch(spin, grid, used(0), rounds);
        queue.finish();
        seconds = since(begin);
    }
    // the expected values come from the device, because the processor would need long to compute them
    ferry::Buffer<std::uint32_t> alone{queue.device(), half};
    queue.launch(spin, grid, alone, rounds);
    const std::vector<std::uint32_t> spun = queue.read(alone);
    CHECK(spun[1] == spin_result(1, rounds));
    std::uint32_t number = 0;
    for (int turn = 0; turn < 4; ++turn) {
        INFO("turn ", turn);
        const std::size_t first = turn % 2 == 0 ? 0 : half; // the half used by the kernel
        queue.launch(spin, grid, used(first), rounds);
        const ferry::Event over = queue.record();
        queue.flush();
        // The host stops writing before the kernel ends. Otherwise a later write could hide a lost one.
        const auto begin = std::chrono::steady_clock::now();
        do {
            host(half - first, ++number);
        } while (since(begin) < 0.01 && !over.ready());
        queue.finish();
        look();
        const auto in = [&](std::size_t at) {
            const auto part = memory.subspan(at, half);
            return std::vector<std::uint32_t>(part.begin(), part.end());
        };
        check_same(in(half - first), std::vector<std::uint32_t>(half, number));
        check_same(in(first), spun);
    }
}

} // namespace conformance
