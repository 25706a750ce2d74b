// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ferry::cache {

/// All inputs that determine compiled code, as named fields in the order of addition. A missing input leads
/// to wrong answers later. Add the preprocessed source, the options, the version of the compiler of kernels,
/// the backend, the device, the versions of the driver and of the compiler, and the form of the code
/// ("cubin").
///
/// Two keys are equal exactly if their fields are equal, name by name and value by value, in order: every
/// text is stored with its length, so no value can imitate the next field. Ferry's own version is in every
/// key.
class Key {
public:
    Key();
    /// For tests: a key of another version of Ferry.
    explicit Key(std::string_view ferry) { add("ferry", ferry); }
    /// Any bytes, of any length. Throws only std::bad_alloc.
    Key& add(std::string_view name, std::string_view value);
    Key& add(std::string_view name, std::uint64_t value);

    /// The fields as one text, as stored in an entry: "5:ferry,5:0.1.0,".
    const std::string& text() const noexcept { return text_; }

private:
    std::string text_;
};

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

/// The fields of a Key's text, as views into it. Empty if it is not one.
std::optional<Fields> fields_of(std::string_view text);

} // namespace ferry::cache
