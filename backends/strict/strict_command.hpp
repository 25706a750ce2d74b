// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/host_command.hpp"
#include "strict/strict_block.hpp"
#include "strict/strict_chance.hpp"
#include "strict/strict_order.hpp"
#include "strict/strict_ranges.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ferry::host {

/// A range of a buffer that a command uses.
struct Use {
    std::shared_ptr<StrictBlock> block;
    std::size_t offset = 0;
    std::size_t bytes = 0;
    bool writes = false;
    /// The parts of it that were passed, each with begin and end. Empty: all of it. The host may use the
    /// bytes between them.
    std::vector<std::pair<std::size_t, std::size_t>> parts{};

    /// Whether this byte of the buffer was passed to it.
    bool has(std::size_t byte) const noexcept;
    std::byte* data() const noexcept { return block->data() + offset; }
    /// A command has written all of it.
    void define() const { block->undefined().define(offset, bytes); }
    /// "bytes 0 to 64 of device buffer #3 of 4096 bytes"
    std::string describe() const;
};

/// The parts of its queue that a command needs in the call that enqueues it.
struct Origin {
    Chance& chance;
    const Order& order;
};

/// A command of the strict device. It starts at a random time, has access to its buffers only while it runs,
/// and fills its results with a pattern if it fails. Two conditions are checked at its start: bytes visible
/// to the host must be the same as when the command was enqueued, and no unordered copy of another queue may
/// be about to use them.
class StrictCommand : public Command {
public:
    void run() final;
    void skip() noexcept final { spoil(); }

protected:
    /// `what`: the command in words. `all`: it uses all the bytes, which a launch need not do.
    StrictCommand(const Origin& origin, const std::string& what, std::vector<Use> uses, bool all = true);
    virtual void act() = 0;
    /// The kind of command, for the vendor call in its error: "copy", "fill", "launch", "unmap".
    virtual const char* call() const noexcept = 0;
    /// Throws Error (command_failed) with the seed.
    [[noreturn]] void fail(const std::string& what) const;
    const std::vector<Use>& uses() const noexcept { return uses_; }
    /// For a use of memory that the host sees. Null for a device buffer.
    const RangeInFlight* range_of(std::size_t use) const noexcept { return ranges_[use].in_flight.get(); }
    [[noreturn]] void host_wrote(const Use& use, std::size_t byte, const std::string& when) const;
    /// For a constructor: the command fails if an unordered command of another queue conflicts with it there.
    /// `range` is a range of `memory`, from `offset` on.
    void check_order(const RangeInFlight& range, const Order& order, const std::string& memory,
                     std::size_t offset);

private:
    struct Range {
        std::unique_ptr<RangeInFlight> in_flight;
        /// The bytes at the time of the enqueueing call. Empty if another command uses them too, or they are
        /// not accessible.
        std::vector<std::byte> seen;
    };
    void check_unchanged() const;
    void spoil() noexcept;

    const std::chrono::microseconds delay_;
    const std::vector<Use> uses_;
    std::vector<Range> ranges_;
    std::string disorder_; ///< The conflict, if there is one.
};

/// From host memory. At the end the memory must have the contents of the time of enqueueing, unless an
/// earlier command in flight writes or may write there.
class StrictWrite final : public StrictCommand {
public:
    StrictWrite(const Origin& origin, const void* from, const Use& to);

private:
    void act() override;
    const char* call() const noexcept override { return "copy"; }
    const RangeInFlight range_;
    const std::byte* const from_;
    const bool to_come_;
    const std::vector<std::byte> seen_;
};

/// To host memory, which has a fill pattern from the call until the end of the command, unless other commands
/// in flight use it too.
class StrictRead final : public StrictCommand {
public:
    StrictRead(const Origin& origin, const Use& from, void* to);

private:
    void act() override;
    const char* call() const noexcept override { return "copy"; }
    const RangeInFlight range_;
    std::byte* const to_;
    const bool poisoned_;
};

class StrictCopy final : public StrictCommand {
public:
    StrictCopy(const Origin& origin, const Use& from, const Use& to);

private:
    void act() override;
    const char* call() const noexcept override { return "copy"; }
};

class StrictFill final : public StrictCommand {
public:
    StrictFill(const Origin& origin, const Use& to, const void* pattern, std::size_t size);

private:
    void act() override;
    const char* call() const noexcept override { return "fill"; }
    const std::vector<std::byte> pattern_;
};

/// The end of a mapping: transfers the host's bytes to the buffer, or reports a write to a mapping for
/// reading.
class StrictUnmap final : public StrictCommand {
public:
    /// `complaint`: the problem of the mapping, if any. `bytes` is empty if nothing is transferred back.
    StrictUnmap(const Origin& origin, const Use& to, std::vector<std::byte> bytes, std::string complaint);

private:
    void act() override;
    const char* call() const noexcept override { return "unmap"; }
    const std::vector<std::byte> bytes_;
    const std::string complaint_;
};

} // namespace ferry::host
