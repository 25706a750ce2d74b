// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "measure/own_pages.hpp"

#include <ferry/buffer.hpp>
#include <ferry/device.hpp>
#include <ferry/import.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace ferry::detail::memory_tests {

/// Memory as programs have it, and its import.
struct Callers {
    OwnPages memory;
    Imported<std::uint32_t> imported;

    Callers(const Device& device, std::size_t bytes) : memory(bytes), imported(device, memory.span()) {}
    std::span<std::uint32_t> span() const { return memory.span(); }
    operator View<std::uint32_t>() const { return imported; }
};

/// Words in memory of a kind that both sides can access.
class Words {
public:
    Words(const Device& device, MemoryKind kind, std::size_t count) {
        if (kind == MemoryKind::imported) {
            callers_.emplace(device, count * sizeof(std::uint32_t));
        } else {
            buffer_ = Buffer<std::uint32_t>(device, count, kind);
        }
    }
    std::span<std::uint32_t> span() { return callers_ ? callers_->span() : buffer_.span(); }
    operator View<std::uint32_t>() { return callers_ ? View<std::uint32_t>(*callers_) : buffer_.view(); }

private:
    Buffer<std::uint32_t> buffer_;
    std::optional<Callers> callers_;
};

} // namespace ferry::detail::memory_tests
