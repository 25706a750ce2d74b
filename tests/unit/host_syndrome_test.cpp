// SPDX-License-Identifier: Apache-2.0
#include "system/arm_syndrome.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

using ferry::detail::is_write;

namespace {

/// The records of a signal frame, as Linux stores them on ARM64.
class Records {
public:
    Records& add(std::uint32_t magic, std::uint32_t size, std::uint64_t first_value) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + size);
        std::memcpy(bytes_.data() + at, &magic, sizeof magic);
        std::memcpy(bytes_.data() + at + 4, &size, sizeof size);
        if (size >= 16) {
            std::memcpy(bytes_.data() + at + 8, &first_value, sizeof first_value);
        }
        return *this;
    }
    /// Adds the end record of the frame.
    Records& end() { return add(0, 8, 0); }
    auto answer() const { return is_write(bytes_.data(), bytes_.size()); }

private:
    std::vector<unsigned char> bytes_;
};

constexpr std::uint32_t floating = 0x46508001, syndrome = 0x45535201;
constexpr std::uint64_t data_abort = std::uint64_t{0x24} << 26 | 1U << 25, write_bit = 1U << 6, no_page = 7;

} // namespace

TEST_CASE("host syndrome: WnR of a data abort distinguishes a write from a read") {
    CHECK(Records()
              .add(floating, 528, ~0ULL)
              .add(syndrome, 16, data_abort | write_bit | no_page)
              .end()
              .answer() == true);
    CHECK(Records().add(floating, 528, ~0ULL).add(syndrome, 16, data_abort | no_page).end().answer() ==
          false);
    CHECK(Records().add(syndrome, 16, data_abort | std::uint64_t{1} << 26 | write_bit).end().answer() ==
          true);
}

TEST_CASE("host syndrome: nothing if no record describes an access to data") {
    CHECK_FALSE(Records().end().answer().has_value());
    CHECK_FALSE(Records().add(floating, 528, 0).end().answer().has_value());
    CHECK_FALSE(
        Records().add(syndrome, 16, std::uint64_t{0x20} << 26 | write_bit).end().answer().has_value());
    CHECK_FALSE(Records().end().add(syndrome, 16, data_abort | write_bit).answer().has_value());
}

TEST_CASE("host syndrome: a damaged frame is read no further than its end") {
    CHECK_FALSE(is_write(nullptr, 0).has_value());
    CHECK_FALSE(Records().add(syndrome, 8, 0).answer().has_value());
    std::vector<unsigned char> bytes(16);
    for (const std::uint32_t size : {0U, 4U, 17U, 0xFFFFFFFFU}) {
        std::memcpy(bytes.data(), &floating, 4);
        std::memcpy(bytes.data() + 4, &size, 4);
        CHECK_FALSE(is_write(bytes.data(), bytes.size()).has_value());
    }
}
