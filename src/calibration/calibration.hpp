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

/// Seconds for so many bytes: measured at some sizes, a power law between two of them. Smaller ones cost what
/// the smallest does, larger ones grow as the last two did, at half the rate of their mean at least.
class Curve {
public:
    static constexpr std::array<std::size_t, 7> sizes{
        std::size_t{4} << 10, std::size_t{64} << 10, std::size_t{256} << 10, std::size_t{1} << 20,
        std::size_t{4} << 20, std::size_t{16} << 20, std::size_t{64} << 20};
    static constexpr std::size_t enough = 4; ///< points that make a curve

    std::array<double, sizes.size()> seconds{}; ///< 0: not measured, nor any after it

    std::size_t points() const noexcept;
    bool known() const noexcept { return points() >= enough; }
    double at(double bytes) const;             ///< of a curve that is known()
    bool reaches(double bytes) const noexcept; ///< known(), and measured at such a size or beyond
};

/// What rounds of share() cost with one placement: from share() over one kernel to the end of the share.
struct RoundCosts {
    Curve reads, writes, updates;     ///< by what the device does; the host's bytes are in its caches or not,
                                      ///< as size will have it
    Curve read_again, update_again;   ///< one more kernel within such a round
    Curve sparse_reads, random_reads; ///< rounds with a kernel of that pattern; where both sides have the
                                      ///< same memory, of sizes whose latencies decide
    double sparse = 1, random = 1; ///< a kernel of that pattern over a sequential one; where there is a bus

    bool known() const noexcept { return reads.known() && writes.known() && updates.known(); }
};

/// What placements cost on one device of this machine. What it lacks, or could not be measured, is not
/// known().
struct Calibration {
    static constexpr std::size_t placements = 5;
    std::array<RoundCosts, placements> ordinary;    ///< by Placement
    std::array<RoundCosts, placements> page_locked; ///< of memory that was page-locked before

    /// Whether there are measured costs to choose by.
    bool known() const noexcept;
    /// The number of sizes that were measured.
    std::size_t sizes() const noexcept;
};

/// As text, a line for each curve, and back. Nothing from a text of another form.
std::string to_text(const Calibration& calibration);
std::optional<Calibration> calibration_from(std::string_view text);

namespace litmus {
class Session;
}
/// Measures; leaves out the larger sizes where it has no time for them, and those that are in `before`.
/// `begins` is told each size in bytes, `ends` what is known after it. Throws Error.
Calibration calibrate(litmus::Session& session, const std::function<void(std::size_t)>& begins = {},
                      const std::function<void(const Calibration&)>& ends = {},
                      const Calibration& before = {});

} // namespace ferry::detail
