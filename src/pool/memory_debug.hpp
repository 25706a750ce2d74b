// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory_state.hpp"

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

/// FERRY_MEMORY_DEBUG for one device: guard bytes around each buffer, poison in it before its first and after
/// its last use, and a record of where it was made. Destroyed buffers are kept in a quarantine for a while,
/// as memory and as objects, so that a late write or a view that is still used is found. Slow: it waits for
/// the device wherever it looks.
class MemoryDebug {
public:
    enum class Mode : std::uint8_t { off, tell, abort };
    /// Throws Error (invalid_argument) if the variable says something else.
    static Mode mode();

    explicit MemoryDebug(DeviceState& device, Mode mode);
    MemoryDebug(const MemoryDebug&) = delete;
    MemoryDebug& operator=(const MemoryDebug&) = delete;

    MemoryHandle allocate(std::size_t bytes, MemoryKind kind, SourceLocation where);
    /// Throws Error (invalid_argument) if native memory that a new buffer is to free is a living buffer's.
    void check_adoption(std::uint64_t native, std::size_t bytes, SourceLocation where);
    void adopted(Memory& memory, std::uint64_t native, SourceLocation where);
    void forget_adopted(const Memory& memory) noexcept;
    /// Looks at everything now. The faults that nobody has been told of through this.
    std::vector<std::string> check();
    /// Gives the memory of destroyed buffers back, after a last look.
    void empty_quarantine();
    static bool is_anywhere() noexcept { return any_; }
    /// At the end of the process: tells of buffers that are still there.
    void tell_of_leaks() noexcept;

private:
    struct Record {
        Memory* memory = nullptr;
        std::weak_ptr<Memory> handle; ///< keeps the count readable when the buffer is gone
        Block* block = nullptr;
        std::size_t front = 0; ///< guard bytes before the buffer's
        SourceLocation where;
        std::uint64_t native = 0; ///< adopted memory: its address or handle
        unsigned told = 0;        ///< a bit for each Fault
    };
    enum Fault : unsigned { behind = 1, before = 2, destroyed_since = 4, twice = 8 };
    Block& take(MemoryKind kind, std::size_t bytes);
    void retire(Memory* memory) noexcept;
    void evict(std::size_t most_bytes, std::size_t most_buffers);
    void check_guards(Record& record);
    void check_poison(Record& record);
    void check_count(Record& record);
    /// The first byte in the range that is not `value`.
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
    std::recursive_mutex mutex_; // all that follows
    std::vector<Record> living_;
    std::deque<Record> quarantine_;
    std::size_t quarantined_bytes_ = 0;
    std::vector<std::string> untold_;
};

} // namespace ferry::detail
