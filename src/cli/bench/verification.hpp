// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"

#include <array>

namespace bench {

/// Fills the sources of the steps with random bytes, and their destinations with other bytes.
class Verification {
public:
    Verification(const Measurement& what, Subject& subject, std::size_t bytes, std::uint64_t seed);
    /// Throws std::runtime_error, with the side and the first wrong element, unless memory has exactly the
    /// result of `steps` steps.
    void check(std::uint64_t steps, std::string_view side);

private:
    void prepare_stream();
    void check_values(std::uint64_t steps, std::string_view side);
    void check_stream(std::string_view side);
    void check_touched(std::uint64_t steps, std::string_view side);
    void check_held(std::uint64_t steps, std::string_view side);
    void compare(std::span<const std::byte> expected, std::span<const std::byte> found,
                 std::string_view side) const;
    std::span<std::byte> source() const;
    std::span<std::byte> destination() const;

    const Measurement& what_;
    Subject& subject_;
    std::size_t bytes_;
    std::uint64_t seed_;
    std::vector<std::uint32_t> values_; ///< The expected values of bump, or of hold.
    std::array<std::vector<std::byte>, 3>
        kept_; ///< stream: the original a, b, c; both: the bytes copied down; touched: the original.
};

} // namespace bench
