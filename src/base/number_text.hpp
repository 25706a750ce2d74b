// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Numbers of measurements as text. Reading the text returns exactly the same value.
namespace ferry::detail::staging {

void add_number(std::string& text, unsigned long long number, char end);
void add_number(std::string& text, unsigned number, char end);
void add_number(std::string& text, double number, char end);

/// Reads a number and its end character from the start of the text, and removes them. False for any other
/// text.
bool read_number(std::string_view& text, char end, unsigned long long& number);
bool read_number(std::string_view& text, char end, unsigned& number);
/// The number must be finite.
bool read_number(std::string_view& text, char end, double& number);
/// The same for a rate, which must be greater than 0.
bool read_rate(std::string_view& text, char end, double& rate);

/// Billions, with one digit after the point: "11.0".
std::string gigabytes(double bytes);

} // namespace ferry::detail::staging
