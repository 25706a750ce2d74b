// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// Seconds that one call of `work` takes.
template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The one below which that part of them lies, 0 to 1; there is at least one.
inline double quantile(std::vector<double> values, double part) {
    const auto nth = values.begin() + std::lround(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

inline double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}
