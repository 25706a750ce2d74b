// SPDX-License-Identifier: Apache-2.0
#include "staging/slot_rates.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace slot_rates_test {

using namespace ferry::detail::staging;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

/// In GB/s, up and down, in the order of slot_sizes.
std::vector<SlotRate> rates_of(const std::vector<std::pair<double, double>>& gigabytes) {
    std::vector<SlotRate> rates;
    for (std::size_t i = 0; i < gigabytes.size(); ++i) {
        rates.push_back({slot_sizes[i], gigabytes[i].first * 1e9, gigabytes[i].second * 1e9});
    }
    return rates;
}

} // namespace

TEST_CASE("slot rates: the smallest size that takes no more than 1 / 0.95 of the shortest time is taken") {
    struct Row {
        std::vector<std::pair<double, double>> gigabytes;
        std::size_t expected;
    };
    const std::vector<Row> table{
        {{{36.0, 33.6}, {35.8, 48.3}, {33.0, 48.0}, {29.9, 32.5}}, 2 * mib}, // from a machine with an H200
        {{{10, 10}, {10, 10}, {10, 10}, {10, 10}}, mib},
        {{{10, 10}, {11, 11}, {12, 12}, {13, 13}}, 8 * mib},
        {{{10, 10}, {10, 9}, {10.4, 10.4}, {10.5, 10.5}}, mib},     // 95.2 %
        {{{10, 10}, {10, 9}, {10.4, 10.4}, {10.6, 10.6}}, 4 * mib}, // 94.3 %
        {{{100, 1}, {2.2, 2.2}, {1, 100}, {1, 1}}, 2 * mib},        // the slower direction counts
    };
    for (const Row& row : table) {
        CHECK(smallest_slot(rates_of(row.gigabytes)) == row.expected);
    }
    CHECK(smallest_slot({}) == 0);
}

TEST_CASE("slot rates: they survive being written and read; text that is not quite theirs is refused") {
    const std::vector<SlotRate> rates = rates_of({{10.0 / 3, 1e-300}, {1e290, 7}, {1, 2}, {3, 4}});
    const std::string text = to_text(rates);
    const auto read = slot_rates_from(text);
    REQUIRE(read);
    CHECK(to_text(*read) == text);
    CHECK((*read)[0].up == rates[0].up);
    CHECK((*read)[3].down == rates[3].down);
    CHECK((*read)[3].slot_bytes == 8 * mib);
    for (std::size_t length = 0; length < text.size(); ++length) {
        CHECK_FALSE(slot_rates_from(text.substr(0, length)));
    }
    CHECK_FALSE(slot_rates_from(text + "1 1p+0 1p+0\n"));
    CHECK_FALSE(slot_rates_from(" " + text));
    for (const char* bad : {"0p+0", "nan", "inf", "-1p+3", "1 p"}) {
        std::string other = text;
        const std::size_t at = other.find(' ') + 1;
        other.replace(at, other.find(' ', at) - at, bad);
        CHECK_FALSE(slot_rates_from(other));
    }
    CHECK(describe(rates_of({{36.04, 33.6}, {35.8, 48.3}})) ==
          "with 1 MiB 36.0 GB/s up and 33.6 down, with 2 MiB 35.8 GB/s up and 48.3 down");
}

TEST_CASE("slot rates: rounds count if the faster halves of them agree") {
    const auto round = [](double up, double down) {
        std::vector<SlotRate> rates;
        for (const std::size_t bytes : slot_sizes) { // each size has separate rates
            rates.push_back({bytes, up * static_cast<double>(bytes), down});
        }
        return rates;
    };
    CHECK_FALSE(robust_slot_rates({}));
    CHECK_FALSE(robust_slot_rates({round(1, 5), round(1, 5)}));
    CHECK_FALSE(robust_slot_rates({round(3, 5), round(1, 5), round(2, 5), round(5, 5)}));
    CHECK_FALSE(robust_slot_rates({round(5, 3), round(5, 1), round(5, 2), round(5, 5)}));
    const auto found = robust_slot_rates({round(3, 5), round(1, 5.5), round(3.25, 1), round(3.125, 5)});
    REQUIRE(found);
    REQUIRE(found->size() == slot_sizes.size());
    for (std::size_t i = 0; i < slot_sizes.size(); ++i) {
        CHECK((*found)[i].slot_bytes == slot_sizes[i]);
        CHECK((*found)[i].up == 3.125 * static_cast<double>(slot_sizes[i]));
        CHECK((*found)[i].down == 5);
    }
}

} // namespace slot_rates_test
