// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "subject.hpp"

#include <span>
#include <string_view>

namespace bench {

enum class Size : std::uint8_t { none, small, large };
/// What a step leaves behind, and so how it is checked.
enum class Check : std::uint8_t { sum, uploaded, downloaded, between, order };

struct Case {
    std::string_view name;
    std::string_view what;
    Operation operation;
    Size size;
    Check check;
    bool batch;           ///< many steps in a row, as they are enqueued; else as many as fill a sample
    bool finish_included; ///< the wait at the end of a batch is part of the time
    double limit;         ///< highest ratio Ferry / raw that the project allows itself
};

std::span<const Case> cases();

/// Puts fresh random bytes where the case reads and other bytes where it writes.
class Verification {
public:
    Verification(const Case& test, Subject& subject, std::size_t bytes, std::uint64_t seed);
    /// Throws std::runtime_error naming the side and the first wrong element unless `steps` steps have left
    /// exactly what they should.
    void check(std::uint64_t steps, std::string_view side);

private:
    const Case& case_;
    Subject& subject_;
    std::size_t bytes_;
    std::vector<std::uint32_t> values_;
};

} // namespace bench
