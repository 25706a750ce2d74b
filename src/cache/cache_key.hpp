// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::cache {

/// All that decides what compiled code looks like, as named fields in the order they were added. Whatever is
/// left out here is answered wrongly later: add the preprocessed source, the options, the version of the
/// translator, the backend, the device, the versions of the driver and of the compiler, the form of the code
/// ("cubin").
///
/// Two keys are the same exactly if their fields are, name by name and value by value, in order: every text
/// goes in with its length, so no value can look like the next field. Ferry's own version is in every key.
class Key {
public:
    Key();
    /// As another version of Ferry makes it, for tests.
    explicit Key(std::string_view ferry) { add("ferry", ferry); }
    /// Any bytes, of any length. Throws std::bad_alloc only.
    Key& add(std::string_view name, std::string_view value);
    Key& add(std::string_view name, std::uint64_t value);

    /// The fields in one text, as an entry holds it: "5:ferry,5:0.1.0,".
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// The fields of a Key's text, as views into it; nothing if it is not one.
std::optional<Fields> fields_of(std::string_view text);

} // namespace ferry::cache
