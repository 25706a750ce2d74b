// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend.hpp"
#include "strict_fence.hpp"
#include "strict_undefined.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace ferry::host {

/// The bytes of a buffer of the strict device, owned by it and by the commands that use it. Memory of kind
/// device is out of everybody's reach except while a command that names it runs. That of an import is the
/// caller's and stays as it is; the device has as much of its own set aside for it.
class StrictBlock {
public:
    /// Bytes of each kind that the device has.
    static constexpr std::uint64_t total = std::uint64_t{256} << 20;
    static std::uint64_t free_bytes(MemoryKind kind) noexcept;

    /// Throws Error (out_of_memory) beyond the total.
    StrictBlock(MemoryKind kind, std::size_t bytes);
    /// Memory made elsewhere, which is taken as it is. Adopted memory is given to std::free().
    StrictBlock(void* data, std::size_t bytes, backend::Ownership ownership);
    /// The caller's memory, for an import. Throws Error (out_of_memory) as an allocation on the device.
    StrictBlock(void* data, std::size_t bytes, bool read_only);
    StrictBlock(const StrictBlock&) = delete;
    StrictBlock& operator=(const StrictBlock&) = delete;
    ~StrictBlock();

    MemoryKind kind() const noexcept { return kind_; }
    /// Whether the host sees the bytes, so that commands have to work on copies of them.
    bool on_host() const noexcept { return kind_ != MemoryKind::device; }
    /// Nothing may go back to the bytes.
    bool read_only() const noexcept { return read_only_; }
    std::byte* data() const noexcept { return data_; }
    const Owner& owner() const noexcept { return owner_; }
    /// Of memory of kind device; other memory counts as written.
    UndefinedBytes& undefined() noexcept { return undefined_; }

    /// A command begins, or ends, to use it. close() also looks at what lies around the bytes.
    void open(bool writes);
    std::optional<std::string> close(bool writes);
    /// While a command uses it: a number that changes when another one begins or ends to write to it; none if
    /// one does now. `writes`: the command does.
    std::optional<std::uint64_t> quiet(bool writes) const;

private:
    void protect() const noexcept;

    const MemoryKind kind_;
    Owner owner_;
    UndefinedBytes undefined_;
    std::optional<Fence> fence_;
    std::byte* data_ = nullptr;
    bool adopted_ = false;
    bool read_only_ = false;
    std::size_t listed_ = 0;   ///< of an import, see list()
    mutable std::mutex mutex_; // the rest
    int readers_ = 0;
    int writers_ = 0;
    std::uint64_t turns_ = 0; ///< of writers that came or went
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
