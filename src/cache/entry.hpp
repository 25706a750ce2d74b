// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The bytes of one file of the cache:
//   8   "FERRYKC1"
//   8   size of the key, 8 size of the value: numbers as this machine has them
//   ... the key's text, the value
//   16  digest of all that is above
namespace ferry::cache {

struct Entry {
    std::string_view key;
    std::string_view value;
};

std::uint64_t encoded_size(const Entry& entry) noexcept;
std::string encode(const Entry& entry);
/// Views into `file`; nothing unless every byte of it is as it was written.
std::optional<Entry> decode(std::string_view file) noexcept;

/// The name of the file that an entry with this key's text is in, and whether a name is such a one.
std::string file_name(std::string_view key);
bool is_file_name(std::string_view name) noexcept;

} // namespace ferry::cache
