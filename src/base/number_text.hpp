// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// Numbers of measurements as text that gives them back to the last bit.
namespace ferry::detail::staging {

void add_number(std::string& text, unsigned long long number, char end);
void add_number(std::string& text, unsigned number, char end);
void add_number(std::string& text, double number, char end);

/// Takes a number and the sign that ends it off the text. False for any other text.
bool read_number(std::string_view& text, char end, unsigned long long& number);
bool read_number(std::string_view& text, char end, unsigned& number);
/// A rate is finite and more than 0.
bool read_rate(std::string_view& text, char end, double& rate);

/// "11.0"
std::string gigabytes(double bytes);

} // namespace ferry::detail::staging
