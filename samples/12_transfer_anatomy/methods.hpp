// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// The compared methods of moving bytes, ready to copy up to `largest` bytes.
class Methods {
public:
    using Byte = std::uint8_t;
    enum Way { pinned, pageable, fresh, mapped };
    struct Method {
        Way way;
        std::string name;
    };

    Methods(const ferry::Device& device, std::size_t largest);

    /// The methods that this device supports.
    const std::vector<Method>& all() const { return all_; }
    /// Makes one copy of `bytes`; blocks until it is done.
    void copy(Way way, std::size_t bytes);
    /// Copies `data` with one method, and returns the bytes at the copy's destination.
    std::vector<Byte> copied(Way way, std::span<const Byte> data);

private:
    void copy_to_fresh(std::size_t bytes, std::span<Byte> keep);

    std::vector<Method> all_;
    ferry::Queue queue_;
    ferry::Buffer<Byte> memory_;
    ferry::Buffer<Byte> pinned_;
    std::vector<Byte> pageable_;
};
