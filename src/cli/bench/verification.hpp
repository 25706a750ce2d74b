// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measurement.hpp"

#include <array>

namespace bench {

/// Puts fresh random bytes where the steps read and other bytes where they write.
class Verification {
public:
    Verification(const Measurement& what, Subject& subject, std::size_t bytes, std::uint64_t seed);
    /// Throws std::runtime_error naming the side and the first wrong element unless `steps` steps have left
    /// exactly what they should.
    void check(std::uint64_t steps, std::string_view side);

private:
    void prepare_stream();
    void check_values(std::uint64_t steps, std::string_view side);
    void check_stream(std::string_view side);
    void check_touched(std::uint64_t steps, std::string_view side);
    void compare(std::span<const std::byte> expected, std::span<const std::byte> found,
                 std::string_view side) const;
    std::span<std::byte> source() const;
    std::span<std::byte> destination() const;

    const Measurement& what_;
    Subject& subject_;
    std::size_t bytes_;
    std::uint64_t seed_;
    std::vector<std::uint32_t> values_; ///< what bump adds to
    std::array<std::vector<std::byte>, 3>
        kept_; ///< stream: a, b, c as they were; both: what goes down; touched: as it was
};

} // namespace bench
