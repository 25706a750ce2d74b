// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "device_state.hpp"
#include "event_state.hpp"

#include <ferry/buffer.hpp>
#include <ferry/memory.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ferry::detail {

/// One allocation behind a Buffer.
class Memory : public std::enable_shared_from_this<Memory> {
public:
    Memory(DeviceState& device, MemoryKind kind, std::size_t bytes, std::unique_ptr<backend::Memory> native,
           bool counted);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    DeviceState& device() const noexcept { return *device_; }
    MemoryKind kind() const noexcept { return kind_; }
    std::size_t bytes() const noexcept { return bytes_; }
    backend::Memory& native() const noexcept { return *native_; }

    bool is_mapped() const noexcept { return mapped_.load(std::memory_order_relaxed) != 0; }
    /// Refuse a command on mapped memory. One relaxed load if nothing is mapped.
    void check_readable(SourceLocation where) const {
        if (mapped_.load(std::memory_order_relaxed) != 0) {
            check_mapped(false, where);
        }
    }
    void check_writable(SourceLocation where) const {
        if (mapped_.load(std::memory_order_relaxed) != 0) {
            check_mapped(true, where);
        }
    }

    void begin_map(const Region& region, Map access, SourceLocation where);
    void end_map(const Region& region, Map access) noexcept;

    /// A queue of another device uses this memory until that event.
    void used_until(EventRef event);

private:
    struct MappedPart {
        std::size_t offset, bytes;
        bool writes;
    };
    void check_mapped(bool for_writing, SourceLocation where) const;

    DeviceState* device_;
    MemoryKind kind_;
    std::size_t bytes_;
    bool counted_;
    std::unique_ptr<backend::Memory> native_;
    std::atomic<std::uint32_t> mapped_{0};
    mutable std::mutex mutex_;
    std::vector<MappedPart> parts_;
    std::vector<EventRef> foreign_uses_;
};

inline backend::Place place_of(const Region& region) noexcept {
    return {region.memory != nullptr ? &region.memory->native() : nullptr, region.offset};
}

/// Shared ownership of what a region lies in, for work that is carried out later.
inline std::shared_ptr<Memory> keep(const Region& region) {
    return region.memory != nullptr ? region.memory->shared_from_this() : nullptr;
}

} // namespace ferry::detail
