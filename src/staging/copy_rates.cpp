// SPDX-License-Identifier: Apache-2.0
#include "staging/copy_rates.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace ferry::detail::staging {
namespace {

constexpr double enough = 0.95;

// The whole of a number, and what follows it.
template <class Number, class... Form>
bool read_number(std::string_view& text, char end, Number& number, Form... form) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number, form...);
    const auto length = static_cast<std::size_t>(read.ptr - text.data());
    if (read.ec != std::errc{} || length == text.size() || text[length] != end) {
        return false;
    }
    text.remove_prefix(length + 1);
    return true;
}

} // namespace

std::vector<unsigned> thread_counts(unsigned most) {
    std::vector<unsigned> counts;
    for (unsigned count = 1; count < most; count *= 2) {
        counts.push_back(count);
    }
    if (most != 0) {
        counts.push_back(most);
    }
    return counts;
}

unsigned fewest_threads(const std::vector<CopyRate>& rates) noexcept {
    double best = 0;
    for (const CopyRate& rate : rates) {
        best = std::max(best, rate.bytes_per_second);
    }
    unsigned fewest = 0;
    for (const CopyRate& rate : rates) {
        if (rate.bytes_per_second >= enough * best && (fewest == 0 || rate.threads < fewest)) {
            fewest = rate.threads;
        }
    }
    return fewest;
}

std::string to_text(const std::vector<CopyRate>& rates) {
    std::string text;
    for (const CopyRate& rate : rates) {
        std::array<char, 32> word{};
        const auto end = std::to_chars(word.data(), word.data() + word.size(), rate.bytes_per_second,
                                       std::chars_format::hex)
                             .ptr;
        text += std::to_string(rate.threads) + ' ';
        text.append(word.data(), end);
        text += '\n';
    }
    return text;
}

std::optional<std::vector<CopyRate>> copy_rates_from(std::string_view text, unsigned most) {
    std::vector<CopyRate> rates;
    for (const unsigned threads : thread_counts(most)) {
        CopyRate& rate = rates.emplace_back();
        if (!read_number(text, ' ', rate.threads) || rate.threads != threads ||
            !read_number(text, '\n', rate.bytes_per_second, std::chars_format::hex) ||
            !std::isfinite(rate.bytes_per_second) || rate.bytes_per_second <= 0) {
            return std::nullopt;
        }
    }
    return text.empty() ? std::optional(rates) : std::nullopt;
}

std::string describe(const std::vector<CopyRate>& rates) {
    std::string text;
    for (const CopyRate& rate : rates) {
        std::array<char, 32> number{};
        const int length =
            std::snprintf(number.data(), number.size(), "%.1f GB/s", rate.bytes_per_second * 1e-9);
        text += (text.empty() ? "" : ", ") + std::to_string(rate.threads);
        text += rate.threads == 1 ? " thread copies " : " copy ";
        text.append(number.data(), static_cast<std::size_t>(std::max(length, 0)));
    }
    return text;
}

} // namespace ferry::detail::staging
