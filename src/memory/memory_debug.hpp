// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/memory_state.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ferry::detail {

/// FERRY_MEMORY_DEBUG for one device: guard bytes around each buffer, fill patterns in it before its first
/// and after its last use, and a record of the line that created it. Destroyed buffers are quarantined for a
/// while, as memory and as objects, so that late writes and outdated views are detected. Slow: every check
/// waits for the device.
class MemoryDebug {
public:
    enum class Mode : std::uint8_t { off, tell, abort };
    /// Throws Error (invalid_argument) for an unknown value of the variable.
    static Mode mode();

    explicit MemoryDebug(DeviceState& device, Mode mode);
    MemoryDebug(const MemoryDebug&) = delete;
    MemoryDebug& operator=(const MemoryDebug&) = delete;

    MemoryHandle allocate(std::size_t bytes, MemoryKind kind, SourceLocation where);
    /// Throws Error (invalid_argument) if native memory that a new buffer is to free belongs to a living
    /// buffer.
    void check_adoption(std::uint64_t native, std::size_t bytes, SourceLocation where);
    void adopted(Memory& memory, std::uint64_t native, SourceLocation where);
    void forget_adopted(const Memory& memory) noexcept;
    /// Checks everything now. Returns the faults that this function has not returned before.
    std::vector<std::string> check();
    /// Releases the memory of destroyed buffers, after a last check.
    void empty_quarantine();
    static bool is_anywhere() noexcept { return any_; }
    /// At process exit: reports buffers that still exist.
    void tell_of_leaks() noexcept;

private:
    struct Record {
        Memory* memory = nullptr;
        std::weak_ptr<Memory> handle; ///< Keeps the count readable after the buffer is destroyed.
        Block* block = nullptr;
        std::size_t front = 0; ///< Guard bytes before the buffer's.
        SourceLocation where;
        std::uint64_t native = 0; ///< Adopted memory: its address or handle.
        unsigned told = 0;        ///< One bit for each Fault.
    };
    enum Fault : unsigned { behind = 1, before = 2, destroyed_since = 4, twice = 8 };
    Block& take(MemoryKind kind, std::size_t bytes);
    void retire(Memory* memory) noexcept;
    void evict(std::size_t most_bytes, std::size_t most_buffers);
    void check_guards(Record& record);
    void check_poison(Record& record);
    void check_count(Record& record);
    /// The first byte in the range that differs from `value`.
    struct Difference {
        std::size_t offset;
        unsigned value;
    };
    std::optional<Difference> find_other(const Record& record, std::size_t offset, std::size_t bytes,
                                         std::byte value);
    void fill(const Record& record, std::size_t offset, std::size_t bytes, std::byte value);
    std::string describe(const Record& record) const;
    void tell(Record& record, Fault fault, const std::string& what);

    static std::atomic<bool> any_;
    DeviceState& device_;
    const Mode mode_;
    std::recursive_mutex mutex_; // Protects all members below.
    std::vector<Record> living_;
    std::deque<Record> quarantine_;
    std::size_t quarantined_bytes_ = 0;
    std::vector<std::string> unreported_;
};

} // namespace ferry::detail
