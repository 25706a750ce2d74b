// SPDX-License-Identifier: Apache-2.0
#include "opencl_binary.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

namespace ferry::opencl {
namespace {

constexpr std::string_view magic = "FERRYCL1";
constexpr std::size_t number_bytes = 8;

void put(std::string& to, std::uint64_t number) {
    for (unsigned i = 0; i < number_bytes; ++i) {
        to += static_cast<char>(number >> (8 * i) & 0xFF);
    }
}

std::uint64_t get(std::string_view from) {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < number_bytes; ++i) {
        number |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
    }
    return number;
}

std::uint64_t checksum(std::string_view bytes) { // FNV-1a.
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : bytes) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

void put_text(std::string& to, std::string_view text) {
    put(to, text.size());
    to += text;
}

std::optional<std::string_view> take_text(std::string_view& from) {
    if (from.size() < number_bytes || get(from) > from.size() - number_bytes) {
        return std::nullopt;
    }
    const std::string_view text = from.substr(number_bytes, get(from));
    from.remove_prefix(number_bytes + text.size());
    return text;
}

} // namespace

std::vector<std::byte> pack_binary(const BinaryOrigin& origin, std::string_view payload) {
    std::string bytes(magic);
    put_text(bytes, origin.platform);
    put_text(bytes, origin.device);
    put_text(bytes, origin.driver);
    put_text(bytes, payload);
    put(bytes, checksum(bytes));
    const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
    return {first, first + bytes.size()};
}

UnpackedBinary unpack_binary(std::string_view bytes) {
    UnpackedBinary result;
    if (bytes.substr(0, magic.size()) != magic) {
        result.problem = "it does not begin like a binary that Program::binary() gave";
        return result;
    }
    std::string_view rest = bytes.substr(magic.size());
    const auto platform = take_text(rest);
    const auto device = platform ? take_text(rest) : std::nullopt;
    const auto driver = device ? take_text(rest) : std::nullopt;
    const auto payload = driver ? take_text(rest) : std::nullopt;
    if (!payload || rest.size() != number_bytes) {
        result.problem =
            "it is cut short or was lengthened; it has " + std::to_string(bytes.size()) + " bytes";
        return result;
    }
    if (get(rest) != checksum(bytes.substr(0, bytes.size() - number_bytes))) {
        result.problem =
            "it is damaged: its checksum does not match its " + std::to_string(bytes.size()) + " bytes";
        return result;
    }
    result.origin = {std::string(*platform), std::string(*device), std::string(*driver)};
    result.payload = *payload;
    return result;
}

} // namespace ferry::opencl
