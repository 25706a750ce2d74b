// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/capabilities.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace ferry::detail::litmus {

/// What is unknown since its test ended a process; set by doubt().
template <class T>
bool is_doubted(const Fact<T>& fact) {
    return fact.source.starts_with("unknown: ");
}

/// What the driver said, of a source that may begin with what a test showed, passed by settle().
inline std::string said_before(const std::string& source) {
    const std::size_t end = source.starts_with("measured: ") ? source.rfind("; ") : std::string::npos;
    return end != std::string::npos ? source.substr(end + 2) : source;
}

/// Puts what a test showed into a fact. A test can only take away from what is there: one that passes has not
/// failed yet, and never makes more of a fact. Only where nobody said anything does it stand for itself.
template <class T>
void settle(Fact<T>& fact, T shown, const std::string& how) {
    if (fact.confidence == Confidence::unknown) {
        fact = {shown, Confidence::measured, "measured: " + how, {}};
    } else if (shown < fact.value) {
        fact = {shown, Confidence::measured, "measured: " + how,
                fact.declared.empty() ? said_before(fact.source) : std::move(fact.declared)};
    } else {
        fact.confidence = Confidence::measured;
        fact.source = "measured: " + how + "; " + fact.source;
    }
}

/// How fast kernels are on some memory; seconds.
struct Speed {
    double whole = 0; ///< to read all of it once
    double load = 0;  ///< from one load to the next that needs what it read; 0: noise was more
};

/// Whether memory is farther from the device than its own, of the same size: a bus shows in either. What only
/// loads show is more than 1 us: on a virtual machine a processor's took 0.04 us from pages of 2 MiB and 0.17
/// from those of 4 KiB, which is no distance.
constexpr bool is_far(const Speed& speed, const Speed& own) noexcept {
    return speed.whole > 4 * own.whole ||
           (own.load > 0 && speed.load > 4 * own.load && speed.load > own.load + 1e-6);
}

} // namespace ferry::detail::litmus
