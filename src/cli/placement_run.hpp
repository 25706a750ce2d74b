// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// One intent at one size: what share() chose, and what each placement takes when it is forced.
struct PlacementCell {
    struct Forced {
        ferry::Placement placement{};
        double seconds = 0;
        double predicted_seconds = 0; ///< as explain() has it
    };
    std::string intent;
    std::size_t bytes = 0;
    ferry::Placement chosen{};
    double free_seconds = 0; ///< of rounds in which share() was free to choose
    std::vector<Forced> forced;
    int rounds = 0; ///< of each

    const Forced& best() const;
    /// The chosen placement's time where it was forced like the others. share() does the same work before
    /// either, so against its free rounds it only differs by what disturbed one and not the other.
    double seconds() const;
    /// How much longer the chosen one takes than the best, of the best's time.
    double regret() const { return seconds() / best().seconds - 1; }
    /// Within 5 % and 2 us.
    bool good() const { return seconds() <= best().seconds * 1.05 + 2e-6; }
};

/// Measures what share() chooses by, `afresh` however long it takes, then sizes from 4 KiB to `largest` by
/// factors of 4, all intents. A time is the first quartile of several rounds, each from share() to its end,
/// of ordinary memory that has been touched, or, with `page_locked`, of a buffer of MemoryKind::host (throws
/// ferry::Error (unsupported) where there is none). Rounds go on until no way's shortest time has fallen for
/// a third of `rounds`, or there were three times as many, or, from the third on, 8 s have passed. Throws
/// std::runtime_error if a placement gives a wrong result.
std::vector<PlacementCell> measure_placements(const ferry::Device& device, std::size_t largest, int rounds,
                                              bool page_locked, bool afresh,
                                              const std::function<void(const PlacementCell&)>& each);

} // namespace cli
