// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

using Digest = std::array<std::uint8_t, 32>;

/// SHA-256 (FIPS 180-4) by the processor, of a message of any length.
Digest sha256(std::span<const std::uint8_t> message);

/// How many zero bits it begins with.
std::size_t leading_zero_bits(const Digest& digest);

std::string hex(std::span<const std::uint8_t> bytes);
