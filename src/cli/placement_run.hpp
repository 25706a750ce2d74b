// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace cli {

/// One intent at one size: the placement chosen by share(), and the time of each forced placement.
struct PlacementCell {
    struct Forced {
        ferry::Placement placement{};
        double seconds = 0;
        double predicted_seconds = 0; ///< From explain().
    };
    std::string intent;
    std::size_t bytes = 0;
    ferry::Placement chosen{};
    double free_seconds = 0; ///< In rounds in which share() was free to choose.
    std::vector<Forced> forced;
    int rounds = 0; ///< Of each placement.

    const Forced& best() const;
    /// The time of the chosen placement in rounds in which it was forced, like the others. share() does the
    /// same work in free rounds, so their times differ only by disturbances.
    double seconds() const;
    /// The additional time of the chosen placement, relative to the time of the best one.
    double regret() const { return seconds() / best().seconds - 1; }
    /// Whether the chosen placement is within 5 % and 2 us of the best one.
    bool good() const { return seconds() <= best().seconds * 1.05 + 2e-6; }
};

/// First measures the facts that share() uses. With `afresh`, measures them again and without a time limit.
/// Then measures all intents for sizes from 4 KiB to `largest`, by factors of 4.
///
/// A time is the first quartile of several rounds, each from the call of share() to its end. The memory is
/// pageable and has been touched before. With `page_locked` it is a buffer of MemoryKind::host; throws
/// ferry::Error (unsupported) if the device has none.
///
/// Rounds end in any of these cases, but not before the third one:
/// - after `rounds` rounds, if no shortest time has fallen for a third of `rounds`;
/// - after three times `rounds`;
/// - after 8 s.
///
/// Throws std::runtime_error if a placement gives a wrong result.
std::vector<PlacementCell> measure_placements(const ferry::Device& device, std::size_t largest, int rounds,
                                              bool page_locked, bool afresh,
                                              const std::function<void(const PlacementCell&)>& each);

} // namespace cli
