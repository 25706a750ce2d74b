// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included before the code of the pages in docs/. extract_pages.py makes the functions.
#include <ferry/ferry.hpp>
#include <ferry/interop/cuda.hpp>
#include <ferry/interop/opencl.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace docs {

/// A block of code of a page. `run` is null if the block is only compiled.
struct Registration {
    Registration(const char* page, int line, void (*run)(), void (*compiled)());
};

/// y[i] += a * x[i] for i < n, arguments (a, x, y, n).
inline constexpr const char* saxpy_cl = R"(
kernel void saxpy(float a, global const float* x, global float* y, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        y[i] += a * x[i];
    }
}
)";

inline void expect(bool holds, ferry::SourceLocation where = ferry::SourceLocation::current()) {
    if (!holds) {
        throw std::runtime_error("what is expected near line " + std::to_string(where.line()) +
                                 " does not hold");
    }
}

} // namespace docs

using docs::expect;
using docs::saxpy_cl;

// Variables for every block: a device, a queue, two vectors. 3 * 2 + 1 is 7.
#define DOCS_BLOCK                                                         \
    [[maybe_unused]] const ferry::Device device = ferry::default_device(); \
    [[maybe_unused]] ferry::Queue queue{device};                           \
    [[maybe_unused]] const std::uint32_t n = 1000;                         \
    [[maybe_unused]] std::vector<float> x(n, 2.0f);                        \
    [[maybe_unused]] std::vector<float> y(n, 1.0f);
