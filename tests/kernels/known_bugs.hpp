// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// A wrong result caused by a driver, not by Ferry. Cases that match it may fail. If none of the matching
/// cases failed, the row is obsolete and the test fails.
struct KnownBug {
    std::string_view function; ///< as in a failure message; a final "*" matches any ending
    std::string_view type;     ///< of the arguments, "float"; "*": every type
    unsigned width = 0;        ///< 0: any
    std::string_view device;   ///< a pattern for matches() of tests/conformance
    std::string_view reason;
    bool sometimes = false; ///< not visible in every run, so a run without it proves nothing
};

/// Names of functions in the table. Random kernels avoid them on a device with such a row.
inline constexpr std::string_view bytes_128_across_barrier = "a vector of 128 bytes across a barrier";
inline constexpr std::string_view swizzle_behind_constant = "a swizzle behind a constant in a vector literal";
inline constexpr std::string_view loop_in_partial_group = "a loop that ends by what is read behind a barrier";
inline constexpr std::string_view local_rows_by_pointer =
    "a private array of pointers to rows of a local array";
/// Random kernels that are wrong on such a device are built a second time with -cl-opt-disable.
inline constexpr std::string_view wrong_when_optimised = "a kernel that is right with -cl-opt-disable";

const std::vector<KnownBug>& known_bugs();
/// The first row of the device with this function, or null.
const KnownBug* known_bug(const ferry::Device& device, std::string_view function);

/// The cases of one run. Records the rows that matched a case, and those that matched a failure.
class BugLedger {
public:
    explicit BugLedger(const ferry::Device& device);
    /// Records a case. Returns true if its result may be wrong.
    bool covers(const std::string& function, const std::string& type, unsigned width, bool failed);
    /// Fails the test for every row that matched cases without a failure.
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
