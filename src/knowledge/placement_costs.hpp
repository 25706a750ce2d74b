// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/placement.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail {

/// Time in seconds as a function of size, measured at some sizes, with a power law between two of them.
/// Smaller sizes cost as much as the smallest one. Larger ones grow like the last two, at least at half of
/// their mean rate.
class Curve {
public:
    static constexpr std::array<std::size_t, 7> sizes{
        std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{256} << 10, std::size_t{1} << 20,
        std::size_t{4} << 20, std::size_t{16} << 20, std::size_t{64} << 20};
    static constexpr std::size_t enough = 4; ///< Minimum number of points of a curve.

    std::array<double, sizes.size()> seconds{}; ///< 0: not measured, and neither are later ones.

    std::size_t points() const noexcept;
    bool known() const noexcept { return points() >= enough; }
    double at(double bytes) const;             ///< For a curve that is known().
    bool reaches(double bytes) const noexcept; ///< True if it is known(), and measured at this size or
                                               ///< beyond.
};

/// The costs of rounds of share() with one placement: from share() over one kernel to the end of the share.
struct RoundCosts {
    Curve reads, writes, updates;     ///< By the device's access. Whether the host's bytes are in its caches
                                      ///< depends on their size.
    Curve read_again, update_again;   ///< One more kernel within such a round.
    Curve sparse_reads, random_reads; ///< Rounds with a kernel of this pattern. Only if both sides use the
                                      ///< same memory, for sizes that depend on latency.
    double sparse = 1, random = 1; ///< The ratio of a kernel of this pattern to a sequential one, over a bus.

    bool known() const noexcept { return reads.known() && writes.known() && updates.known(); }
};

/// The costs of placements on one device of this machine. Missing or unmeasured ones are not known().
struct CostModel {
    static constexpr std::size_t placements = 5;
    std::array<RoundCosts, placements> ordinary;    ///< By Placement.
    std::array<RoundCosts, placements> page_locked; ///< Of memory that was page-locked before.

    /// Whether there are measured costs to choose by.
    bool known() const noexcept;
    /// The number of sizes that were measured.
    std::size_t sizes() const noexcept;
};

/// Converts to text, with one line for each curve, and back. Empty for a text of another form.
std::string to_text(const CostModel& calibration);
std::optional<CostModel> calibration_from(std::string_view text);

namespace memory_tests {
class Session;
}
/// Measures the sizes that are not in `before`. Leaves out the larger ones if there is no time for them.
/// Calls `begins` with each size in bytes, and `ends` with the results up to it. Throws Error.
CostModel calibrate(memory_tests::Session& session, const std::function<void(std::size_t)>& begins = {},
                    const std::function<void(const CostModel&)>& ends = {}, const CostModel& before = {});

} // namespace ferry::detail
