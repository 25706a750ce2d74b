// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

/// Host memory of one kind that holds some numbers.
class Memory {
public:
    virtual ~Memory() = default;
    virtual std::string_view name() const = 0;
    virtual std::span<const std::uint32_t> words() const = 0;
};

std::unique_ptr<Memory> vector_memory(std::span<const std::uint32_t> words);
/// A vector, pages of the operating system, a file mapped read-only, and a pinned buffer if the device has
/// one.
std::vector<std::unique_ptr<Memory>> all_memories(const ferry::Device& device,
                                                  std::span<const std::uint32_t> words);
