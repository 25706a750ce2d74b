// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// A wrong answer of a driver, not of Ferry. Cases that it names may fail; if none of those that ran failed,
/// the row is stale and the test fails.
struct KnownBug {
    std::string_view function; ///< as a failure names it; a final "*" stands for any ending
    std::string_view type;     ///< of the arguments, "float"; "*": every type
    unsigned width = 0;        ///< 0: any
    std::string_view device;   ///< as matches() of tests/conformance takes it
    std::string_view reason;
    bool sometimes = false; ///< does not show in every run, so that a run without it proves nothing
};

/// Names of functions in the table that random kernels avoid where a row has them.
inline constexpr std::string_view bytes_128_across_barrier = "a vector of 128 bytes across a barrier";
inline constexpr std::string_view swizzle_behind_constant = "a swizzle behind a constant in a vector literal";
inline constexpr std::string_view loop_in_partial_group = "a loop that ends by what is read behind a barrier";
/// Random kernels that are wrong there are built once more with -cl-opt-disable.
inline constexpr std::string_view wrong_when_optimised = "a kernel that is right with -cl-opt-disable";

const std::vector<KnownBug>& known_bugs();
/// The first row of the device with this function, or null.
const KnownBug* known_bug(const ferry::Device& device, std::string_view function);

/// The cases of one run: which rows fitted one of them, and which of these fitted a failure.
class BugLedger {
public:
    explicit BugLedger(const ferry::Device& device);
    /// Notes a case; true if it may be wrong.
    bool covers(const std::string& function, const std::string& type, unsigned width, bool failed);
    /// Fails the test for every row that fitted cases of which none failed.
    void check_not_stale() const;

private:
    struct Entry {
        const KnownBug* bug;
        std::size_t cases = 0;
        std::size_t failures = 0;
    };
    std::vector<Entry> entries_;
};

} // namespace kernels
