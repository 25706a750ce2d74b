// SPDX-License-Identifier: Apache-2.0
#include "staging/copy_rates.hpp"

#include "base/number_text.hpp"
#include "staging/robust_median.hpp"

#include <algorithm>
#include <cstddef>

namespace ferry::detail::staging {
namespace {

constexpr double enough = 0.95;

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

std::optional<std::vector<CopyRate>> robust_copy_rates(const std::vector<unsigned>& counts,
                                                       const std::vector<std::vector<double>>& rounds) {
    std::vector<std::optional<double>> medians;
    double best = 0;
    for (const std::vector<double>& seen : rounds) {
        medians.push_back(robust_median(seen));
        best = std::max(best, medians.back().value_or(0));
    }
    std::vector<CopyRate> rates;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::vector<double>& seen = rounds[i];
        const double fastest = seen.empty() ? 0 : *std::max_element(seen.begin(), seen.end());
        const auto good = std::count_if(seen.begin(), seen.end(), [](double rate) { return rate > 0; });
        if (static_cast<std::size_t>(good) < fewest_rounds || (!medians[i] && fastest >= enough * best)) {
            return std::nullopt;
        }
        rates.push_back({counts[i], medians[i].value_or(fastest)});
    }
    return rates;
}

std::string to_text(const std::vector<CopyRate>& rates) {
    std::string text;
    for (const CopyRate& rate : rates) {
        add_number(text, rate.threads, ' ');
        add_number(text, rate.bytes_per_second, '\n');
    }
    return text;
}

std::optional<std::vector<CopyRate>> copy_rates_from(std::string_view text, unsigned most) {
    std::vector<CopyRate> rates;
    for (const unsigned threads : thread_counts(most)) {
        CopyRate& rate = rates.emplace_back();
        if (!read_number(text, ' ', rate.threads) || rate.threads != threads ||
            !read_rate(text, '\n', rate.bytes_per_second)) {
            return std::nullopt;
        }
    }
    return text.empty() ? std::optional(rates) : std::nullopt;
}

std::string describe(const std::vector<CopyRate>& rates) {
    std::string text;
    for (const CopyRate& rate : rates) {
        text += (text.empty() ? "" : ", ") + std::to_string(rate.threads);
        text +=
            (rate.threads == 1 ? " thread copies " : " copy ") + gigabytes(rate.bytes_per_second) + " GB/s";
    }
    return text;
}

} // namespace ferry::detail::staging
