// SPDX-License-Identifier: Apache-2.0
#include "entry.hpp"

#include "base/digest.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::cache {
namespace {

constexpr std::string_view magic = "FERRYKC1";
constexpr std::string_view suffix = ".kernel";
constexpr std::size_t number_size = sizeof(std::uint64_t);
constexpr std::size_t head_size = 8 + 2 * number_size;
constexpr std::size_t digest_size = sizeof(Digest);

void put(std::string& file, std::uint64_t number) {
    char bytes[number_size];
    std::memcpy(bytes, &number, sizeof bytes);
    file.append(bytes, sizeof bytes);
}

std::uint64_t number_at(std::string_view file, std::size_t offset) noexcept {
    std::uint64_t number = 0;
    std::memcpy(&number, file.data() + offset, sizeof number);
    return number;
}

std::string_view text_of(const Digest& digest) noexcept {
    return {digest.data(), digest.size()};
}

} // namespace

std::uint64_t encoded_size(const Entry& entry) noexcept {
    return head_size + entry.key.size() + entry.value.size() + digest_size;
}

std::string encode(const Entry& entry) {
    std::string file;
    file.reserve(encoded_size(entry));
    file += magic;
    put(file, entry.key.size());
    put(file, entry.value.size());
    file += entry.key;
    file += entry.value;
    file += text_of(digest(file));
    return file;
}

std::optional<Entry> decode(std::string_view file) noexcept {
    if (file.size() < head_size + digest_size || file.substr(0, magic.size()) != magic) {
        return std::nullopt;
    }
    const std::string_view body = file.substr(0, file.size() - digest_size);
    const std::uint64_t key_size = number_at(file, magic.size());
    const std::uint64_t value_size = number_at(file, magic.size() + number_size);
    const std::uint64_t room = body.size() - head_size;
    if (key_size > room || value_size != room - key_size ||
        file.substr(body.size()) != text_of(digest(body))) {
        return std::nullopt;
    }
    return Entry{body.substr(head_size, key_size), body.substr(head_size + key_size)};
}

std::string file_name(std::string_view key) {
    return hex(digest(key)) + std::string(suffix);
}

bool is_file_name(std::string_view name) noexcept {
    constexpr std::size_t digits = 2 * digest_size;
    return name.size() == digits + suffix.size() && name.substr(digits) == suffix &&
           std::all_of(name.begin(), name.begin() + digits,
                       [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

} // namespace ferry::cache
