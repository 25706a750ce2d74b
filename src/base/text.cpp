// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace ferry::detail {
namespace {

// Edit distance with one row, Wagner and Fischer 1974.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t above = row[j];
            row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1] ? 1U : 0U)});
            diagonal = above;
        }
    }
    return row[b.size()];
}

} // namespace

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return result;
}

std::string trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const auto end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
        if (end == std::string_view::npos) {
            return parts;
        }
        begin = end + 1;
    }
}

std::string join(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != 0) {
            text += i + 1 == words.size() ? " and " : ", ";
        }
        text += words[i];
    }
    return text;
}

std::string in_bytes(std::uint64_t bytes) {
    constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
    std::string exact = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
    if (bytes < 10240) {
        return exact;
    }
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return significant(value, 4) + " " + units[unit] + " (" + exact + ")";
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names) {
    std::vector<std::pair<std::size_t, std::string>> found;
    for (const std::string& candidate : names) {
        const std::size_t d = distance(lower(name), lower(candidate));
        if (d <= std::max<std::size_t>(2, std::min(name.size(), candidate.size()) / 2)) {
            found.emplace_back(d, candidate);
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> result;
    for (std::size_t i = 0; i < found.size() && i < 3; ++i) {
        result.push_back(std::move(found[i].second));
    }
    return result;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& names) {
    const std::vector<std::string> near = near_names(name, names);
    return near.empty() ? std::string() : "; did you mean " + near.front() + "?";
}

} // namespace ferry::detail
