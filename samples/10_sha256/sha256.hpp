// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

using Digest = std::array<std::uint8_t, 32>;

/// The SHA-256 digest (FIPS 180-4) of a message of any length, computed by the processor.
Digest sha256(std::span<const std::uint8_t> message);

/// The number of zero bits at the beginning of a digest.
std::size_t leading_zero_bits(const Digest& digest);

std::string hex(std::span<const std::uint8_t> bytes);
