// SPDX-License-Identifier: Apache-2.0
#include "opencl_lines.hpp"

#include <charconv>
#include <cstddef>
#include <vector>

namespace ferry::opencl {
namespace {

constexpr std::string_view given_text = "<kernel>:";

struct UsersLine {
    std::string_view file; ///< Empty: before the first #line.
    std::size_t line = 0;
};

/// #line 12 "file": the place of the next line.
bool read_marker(std::string_view line, UsersLine& next) {
    constexpr std::string_view head = "#line ";
    if (!line.starts_with(head)) {
        return false;
    }
    const auto [end, error] =
        std::from_chars(line.data() + head.size(), line.data() + line.size(), next.line);
    if (error != std::errc()) {
        return false;
    }
    const std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
    if (const std::size_t open = rest.find('"'); open != std::string_view::npos) {
        const std::string_view name = rest.substr(open + 1);
        next.file = name.substr(0, name.find('"'));
    }
    return true;
}

std::vector<UsersLine> places_of(std::string_view text) {
    std::vector<UsersLine> places;
    UsersLine next{{}, 1};
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        places.push_back(next);
        if (!read_marker(text.substr(0, end), next)) {
            ++next.line;
        }
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    return places;
}

} // namespace

std::string in_users_lines(const std::string& log, std::string_view text) {
    if (log.find(given_text) == std::string::npos) {
        return log;
    }
    const std::vector<UsersLine> places = places_of(text);
    std::string result;
    for (std::size_t at = 0; at < log.size();) {
        const std::size_t found = log.find(given_text, at);
        result += log.substr(at, found - at);
        if (found == std::string::npos) {
            break;
        }
        at = found + given_text.size();
        std::size_t line = 0;
        const auto [end, error] = std::from_chars(log.data() + at, log.data() + log.size(), line);
        if (error != std::errc() || line == 0 || line > places.size() || places[line - 1].file.empty()) {
            result += given_text;
            continue;
        }
        result += std::string(places[line - 1].file) + ":" + std::to_string(places[line - 1].line);
        at = static_cast<std::size_t>(end - log.data());
    }
    return result;
}

} // namespace ferry::opencl
