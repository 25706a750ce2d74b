// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ferry::hip {

/// A reader of MessagePack that never leaves its bytes. After data that it cannot read, failed() is true and
/// it returns nothing more.
class MessagePack {
public:
    explicit MessagePack(std::string_view bytes) : rest_(bytes) {}

    bool failed() const noexcept { return failed_; }

    /// The next value if it has this type. Otherwise it is skipped and nothing is returned.
    std::optional<std::string_view> text();
    std::optional<std::uint64_t> number();

    /// Calls f() for each element; f must read exactly one value. Skips a value that is not an array.
    template <class F>
    void array(F&& f) {
        const auto count = container(0x90, 0xdc);
        for (std::uint64_t i = 0; count && i < *count && !failed_; ++i) {
            f();
        }
    }
    /// Calls f(key) for each pair; f must read exactly one value. Skips a value that is not a map.
    template <class F>
    void map(F&& f) {
        const auto count = container(0x80, 0xde);
        for (std::uint64_t i = 0; count && i < *count && !failed_; ++i) {
            f(text().value_or(std::string_view()));
        }
    }
    void skip();

private:
    std::optional<std::uint64_t> container(unsigned int fixed, unsigned int wide);
    std::uint64_t big_endian(std::size_t bytes);
    std::string_view take(std::uint64_t bytes);
    unsigned int peek() const noexcept {
        return rest_.empty() ? 0xc1U : static_cast<unsigned char>(rest_[0]);
    }
    void fail() noexcept;

    std::string_view rest_;
    int depth_ = 0;
    bool failed_ = false;
};

} // namespace ferry::hip
