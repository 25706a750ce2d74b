// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// printf in a module for Vulkan. A kernel that prints has the address of a buffer in its launch
// (vulkan_interface.hpp). Each call adds one record to the buffer, and the host prints the records in their
// order when the launch is done. All numbers are words of 32 bits:
//
//   buffer: PrintHeader, records
//   record: the number of its format, and the components of the values. One of 64 bits takes two words, the
//           lower first. Others take one. A string is the number of its text.
//
// A call adds the size of its record to PrintHeader::used with an atomic operation, which returns the place
// of the record. A call whose record does not fit adds 1 to PrintHeader::lost. The rest of the buffer is
// zero, so the records end at a format with the number 0.
//
// The module has an OpString for each format and each string that is printed:
// "ferry_printf:NUMBER:VALUES:TEXT". VALUES has for each value the number of its components and a letter: w
// for 32 bits, d for 64 bits, s for a string. A backslash and the bytes outside of printable ASCII are a
// backslash with three octal digits in TEXT.
namespace ferry::emit_spirv {

struct PrintHeader {
    std::uint32_t used = 0;     ///< Words of the records, and of those that did not fit.
    std::uint32_t lost = 0;     ///< Records that did not fit.
    std::uint32_t capacity = 0; ///< The words for records. The host sets it.
    std::uint32_t reserved = 0;
};

/// A format, or a string without values.
struct PrintText {
    struct Value {
        unsigned lanes = 1;
        unsigned bytes = 4; ///< Of a component. 0: a string.

        std::size_t words() const noexcept { return bytes == 8 ? 2 * std::size_t{lanes} : lanes; }
    };
    std::vector<Value> values;
    std::string text;
};

/// The OpString of a text.
std::string print_string(std::uint32_t number, const PrintText& text);

/// The texts of a module, by number.
class PrintTexts {
public:
    static bool is_print_string(std::string_view string) noexcept;
    /// Returns false if it is damaged.
    [[nodiscard]] bool add(std::string_view string);
    /// The text of the first record, whose words are removed. Empty, with all words removed, at the end of
    /// the records.
    std::string take(std::span<const std::uint32_t>& records) const;

private:
    std::map<std::uint32_t, PrintText> texts_;
};

} // namespace ferry::emit_spirv
