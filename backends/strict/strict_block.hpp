// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hal/backend.hpp"
#include "strict/strict_fence.hpp"
#include "strict/strict_undefined.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace ferry::host {

/// The bytes of a buffer of the strict device, owned by it and by the commands that use it. Memory of kind
/// device is accessible only while a command that names it runs. Memory of an import is the caller's and
/// stays unchanged; the device reserves the same amount of its own.
class StrictBlock {
public:
    /// Bytes of each kind that the device has.
    static constexpr std::uint64_t total = std::uint64_t{256} << 20;
    static std::uint64_t free_bytes(MemoryKind kind) noexcept;

    /// Throws Error (out_of_memory) beyond the total.
    StrictBlock(MemoryKind kind, std::size_t bytes);
    /// Memory allocated by other code, used unchanged. Adopted memory is freed with std::free().
    StrictBlock(void* data, std::size_t bytes, backend::Ownership ownership);
    /// The caller's memory, for an import. Throws Error (out_of_memory) like an allocation on the device.
    StrictBlock(void* data, std::size_t bytes, bool read_only);
    StrictBlock(const StrictBlock&) = delete;
    StrictBlock& operator=(const StrictBlock&) = delete;
    ~StrictBlock();

    MemoryKind kind() const noexcept { return kind_; }
    /// True if the host sees the bytes, so that commands must work on copies.
    bool on_host() const noexcept { return kind_ != MemoryKind::device; }
    /// Nothing may be written back to the bytes.
    bool read_only() const noexcept { return read_only_; }
    std::byte* data() const noexcept { return data_; }
    const Owner& owner() const noexcept { return owner_; }
    /// Of memory of kind device and host; other memory counts as written. Nothing reports the writes of the
    /// host to memory of kind host, so use undefined_of() to read the marks.
    UndefinedBytes& undefined() noexcept { return undefined_; }
    /// The marks of a range whose bytes are `now`. Bytes of kind host that no longer hold the pattern of new
    /// memory count as written from now on. Its runs of fewer than `shortest_run` bytes are left out.
    UndefinedBytes::Marks undefined_of(std::size_t offset, std::size_t bytes, const std::byte* now);

    /// Starts, or ends, the use by a command. close() also checks the bytes around it.
    void open(bool writes);
    std::optional<std::string> close(bool writes);
    /// While a command uses it: a number that changes when another command begins or ends to write to it.
    /// Empty if one is writing now. `writes`: this command writes.
    std::optional<std::uint64_t> quiet(bool writes) const;

private:
    void protect() const noexcept;

    /// Bytes taken from the device's total until the end of the block.
    class Reservation {
    public:
        /// Throws Error (out_of_memory) beyond the total.
        Reservation(MemoryKind kind, std::size_t bytes);
        Reservation(const Reservation&) = delete;
        Reservation& operator=(const Reservation&) = delete;
        ~Reservation();

    private:
        const MemoryKind kind_;
        const std::size_t bytes_;
    };

    const MemoryKind kind_;
    Owner owner_;
    const Reservation reservation_; ///< Before all memory that the block allocates.
    UndefinedBytes undefined_;
    const std::uint64_t key_; ///< Of the pattern in new memory of kind host.
    std::optional<Fence> fence_;
    std::byte* data_ = nullptr;
    bool adopted_ = false;
    bool read_only_ = false;
    std::size_t listed_ = 0;   ///< Of an import; see list().
    mutable std::mutex mutex_; // Protects the rest.
    int readers_ = 0;
    int writers_ = 0;
    std::uint64_t turns_ = 0; ///< Number of begins and ends of writers.
};

class StrictMemory final : public backend::Memory {
public:
    explicit StrictMemory(std::shared_ptr<StrictBlock> block) noexcept : block_(std::move(block)) {
        host = block_->on_host() ? block_->data() : nullptr;
        address = reinterpret_cast<std::uintptr_t>(block_->data());
    }
    const std::shared_ptr<StrictBlock>& block() const noexcept { return block_; }

private:
    std::shared_ptr<StrictBlock> block_;
};

} // namespace ferry::host
