// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ferry::opencl {

// Drivers crash on each other's binaries and on truncated ones, so Ferry's binaries contain their origin and
// are checked before a driver sees them. Format: a magic number, then four strings, each a 64-bit length and
// its bytes: platform, device, driver version, payload. The last part is the 64-bit checksum of everything
// before it. Lengths and checksum are little-endian.

/// The driver that a binary is for.
struct BinaryOrigin {
    std::string platform;
    std::string device;
    std::string driver;
    friend bool operator==(const BinaryOrigin&, const BinaryOrigin&) = default;
};

/// The parts of a binary. `problem` is empty, or a clause with the reason why it cannot be used.
struct UnpackedBinary {
    BinaryOrigin origin;
    std::string_view payload; ///< Refers to the unpacked bytes.
    std::string problem;
};

std::vector<std::byte> pack_binary(const BinaryOrigin& origin, std::string_view payload);
UnpackedBinary unpack_binary(std::string_view bytes);

} // namespace ferry::opencl
