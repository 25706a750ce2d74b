// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The bytes of one file of the cache:
//
//   8   "FERRYKC1"
//   8   size of the key, 8 size of the value: numbers in this machine's byte order
//   ... the key's text, the value
//   16  digest of everything above
namespace ferry::cache {

struct Entry {
    std::string_view key;
    std::string_view value;
};

std::uint64_t encoded_size(const Entry& entry) noexcept;
std::string encode(const Entry& entry);
/// Views into `file`. Empty unless every byte of it is unchanged.
std::optional<Entry> decode(std::string_view file) noexcept;

/// The file name of an entry with this key's text, and whether a name has this form.
std::string file_name(std::string_view key);
bool is_file_name(std::string_view name) noexcept;

} // namespace ferry::cache
