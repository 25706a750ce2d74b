// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device_state.hpp"
#include "hal/backend.hpp"
#include "memory/uses.hpp"
#include "system/fork.hpp"

#include <ferry/buffer.hpp>
#include <ferry/memory.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace ferry::detail {

struct Block;

/// One allocation of a Buffer: a block of the device's pool, or a separate allocation. Its native memory is
/// fixed at the first command; before that, the block may be exchanged.
class Memory : public std::enable_shared_from_this<Memory> {
public:
    /// The origin of the memory, which determines the waits at its end.
    enum class Origin : std::uint8_t {
        allocated, ///< Allocated for this buffer.
        imported,  ///< The caller's own, which the caller may free afterwards.
        adopted,   ///< Allocated by other code, freed here.
        borrowed,  ///< Allocated by other code, and its owner frees it: nothing is waited for.
    };

    /// A block of the pool, `bytes` of it, or only `part` of it.
    Memory(DeviceState& device, MemoryKind kind, std::size_t bytes, Block& block,
           std::unique_ptr<backend::Memory> part = nullptr);
    /// Separate memory. The pool counts allocations for the buffer.
    Memory(DeviceState& device, MemoryKind kind, std::size_t bytes, std::unique_ptr<backend::Memory> native,
           Origin origin);
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    ~Memory();

    DeviceState& device() const noexcept { return *device_; }
    MemoryKind kind() const noexcept { return kind_; }
    std::size_t bytes() const noexcept { return bytes_; }
    unsigned forks() const noexcept { return forks_; }
    backend::Memory& native() const noexcept { return *native_; }

    /// Notes that a queue's command uses this. Called by the queue, under its mutex, before the driver has
    /// the command, and after the queue has been admitted.
    void note(Timeline& timeline, std::uint64_t command) noexcept { uses_.note(timeline, command); }
    /// The same for a command in this task of the queue's backlog.
    void hold_back(Timeline& timeline, std::uint64_t task) noexcept { uses_.hold_back(timeline, task); }
    /// The entry in which this queue notes its commands, as note() does. Null if it has not been admitted.
    Uses::Slot* admitted(const Timeline& timeline) noexcept { return uses_.find(timeline); }
    bool has_admitted(const Timeline& timeline) const noexcept { return uses_.has(timeline); }
    /// Makes the memory usable by the queue's commands, and lets it note them. Call without the queue's
    /// mutex.
    void admit(QueueInterface& queue, const SourceLocation& where);
    /// Fixes the address, and waits for earlier users of the block. May block.
    void settle();
    /// The same for use by other code: the destructor waits for the whole device.
    void expose();

    /// Blocks until the commands that use this are done, including those in a backlog, and for an import also
    /// uses by other code. For an owner that ends while others still have it.
    void wait_for_commands() noexcept;

    /// Others may get these bytes after this is destroyed.
    bool is_freed_here() const noexcept { return origin_ == Origin::allocated || origin_ == Origin::adopted; }
    /// Destroys `other` after this.
    void keep_alive(std::shared_ptr<Memory> other) noexcept { kept_ = std::move(other); }
    /// Imported read-only pages.
    bool is_read_only() const noexcept { return read_only_; }
    void set_read_only(bool read_only) noexcept { read_only_ = read_only; }

    bool is_mapped() const noexcept { return mapped_.load(std::memory_order_relaxed) != 0; }
    /// Throw for a command on mapped memory. One relaxed load if nothing is mapped.
    void check_readable(const SourceLocation& where) const {
        if (mapped_.load(std::memory_order_relaxed) != 0) {
            check_mapped(false, where);
        }
    }
    void check_writable(const SourceLocation& where) const {
        if (mapped_.load(std::memory_order_relaxed) != 0) {
            check_mapped(true, where);
        }
    }

    // For MemoryDebug: after set_destroyed(), every use of the object reports that the buffer was destroyed.
    void wait_for_uses() noexcept { static_cast<void>(uses_.wait_for_all()); }
    void set_destroyed(SourceLocation made) noexcept;
    void check_destroyed(const SourceLocation& where) const;
    bool is_adopted_in_debug = false;

    void begin_map(const Region& region, Map access, const SourceLocation& where);
    void end_map(const Region& region, Map access) noexcept;

private:
    static constexpr std::uint32_t destroyed = std::uint32_t{1} << 31;
    struct MappedPart {
        std::size_t offset, bytes;
        bool writes;
    };
    void check_mapped(bool for_writing, const SourceLocation& where) const;
    bool may_change_block() const noexcept;
    void change_block(const Timeline* queue);
    void give_block_back() noexcept;
    // Return false if the device may still use it, and the driver does not report the end.
    [[nodiscard]] bool wait_for_queues() noexcept;
    [[nodiscard]] bool wait_for_use_past_ferry() noexcept;
    /// Adopted memory that stays valid until the device's commands on it are done.
    bool keeps_itself() const noexcept;
    [[noreturn]] void refuse_abandoned(const SourceLocation& where) const;

    // First the members used by a launch.
    DeviceState* device_;
    backend::Memory* native_;
    /// Number of mappings, and `destroyed`. Relaxed if the program must order the two calls: it then sees the
    /// count.
    std::atomic<std::uint32_t> mapped_{0};
    MemoryKind kind_;
    Origin origin_;
    bool counted_;
    std::atomic<bool> exposed_{false}; ///< Relaxed: a caller with the handle orders its use before later
                                       ///< calls.
    std::atomic<bool> settled_{false}; ///< Relaxed only under the mutex, which orders these loads
                                       ///< after the store.
    Uses uses_;
    std::size_t bytes_;
    const unsigned forks_ = fork_count(); ///< At its creation.
    bool read_only_ = false;
    Block* block_ = nullptr;
    std::unique_ptr<backend::Memory> own_;
    mutable std::mutex mutex_; // Protects parts_, admission, block_.
    std::vector<MappedPart> parts_;
    SourceLocation made_; ///< Of a destroyed buffer.
    std::shared_ptr<Memory> kept_;
};

inline backend::Place place_of(const Region& region) noexcept {
    return {region.memory != nullptr ? &region.memory->native() : nullptr, region.offset};
}

/// Shared ownership of the memory of a region, for work that is performed later.
inline std::shared_ptr<Memory> keep(const Region& region) {
    return region.memory != nullptr ? region.memory->shared_from_this() : nullptr;
}

/// Rejects memory that is larger than the device allows, or than it has beside the memory in use.
void check_room(DeviceState& device, std::size_t bytes, MemoryKind kind, SourceLocation where);

} // namespace ferry::detail
