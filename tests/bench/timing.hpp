// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

/// The duration of one call of `work` in seconds.
template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The quantile `part`, from 0 to 1, of at least one value.
inline double quantile(std::vector<double> values, double part) {
    const auto nth = values.begin() + std::lround(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
}

inline double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}
