// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Small helpers for messages and user input.
namespace ferry::detail {

std::string lower(std::string_view text);
std::string trim(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
/// "a, b and c".
std::string join(const std::vector<std::string>& words);
/// "4096 bytes", "2.5 GiB (2684354560 bytes)".
std::string in_bytes(std::uint64_t bytes);
/// The `names` that are similar to `name`, most similar first, at most three.
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& names);
/// "; did you mean FERRY_CHECK?" with the most similar name, or nothing.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

} // namespace ferry::detail
