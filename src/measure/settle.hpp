// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/capabilities.hpp>

#include <cstddef>
#include <string>
#include <utility>

namespace ferry::detail::memory_tests {

/// A fact that is unknown because its test ended a process. Set by doubt().
template <class T>
bool is_doubted(const Fact<T>& fact) {
    return fact.interruption == Interruption::killed || fact.interruption == Interruption::crashed;
}

/// The driver's part of a source, which may begin with a test result added by settle(). Only for messages.
inline std::string said_before(const std::string& source) {
    const std::size_t end = source.starts_with("measured: ") ? source.rfind("; ") : std::string::npos;
    return end != std::string::npos ? source.substr(end + 2) : source;
}

/// Combines a test result with a fact. A test can only lower an existing value, because a passed test is no
/// proof. The result is used as it is only if there was no value.
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

/// The speed of kernels on some memory, in seconds.
struct Speed {
    double whole = 0; ///< To read all of it once.
    double load = 0;  ///< From one load to the next one that depends on it. 0: noise was larger.
};

/// Whether memory is farther from the device than its own memory of the same size. A bus shows in either
/// value. Loads alone count only above 1 us: on a virtual machine a processor's loads took 0.04 us from pages
/// of 2 MiB and 0.17 from those of 4 KiB, which is not a distance.
constexpr bool is_far(const Speed& speed, const Speed& own) noexcept {
    return speed.whole > 4 * own.whole ||
           (own.load > 0 && speed.load > 4 * own.load && speed.load > own.load + 1e-6);
}

} // namespace ferry::detail::memory_tests
