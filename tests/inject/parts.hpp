// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all scenarios use.
#include "scenarios.hpp"

#include <ferry/ferry.hpp>

#include <cstddef>
#include <vector>

namespace ferry::inject {

constexpr std::size_t count = 3001;

/// Throws Wrong unless the condition holds.
void expect(bool holds, const char* what);
template <class T>
void expect_all(const std::vector<T>& values, T wanted, const char* what) {
    for (const T value : values) {
        expect(value == wanted, what);
    }
}
int any_number();
Device device();
/// `add(x, by, n)`. Built once, before any call fails.
const Kernel& kernel();
/// Host memory that outlives a failing command: one of four, `count` zeros.
std::vector<int>& host_memory(std::size_t index);

// The scenarios of transfers.cpp.
void staged_copies();
void files();
void streams();
void ways_of_mapping();
void share_guards();

} // namespace ferry::inject
