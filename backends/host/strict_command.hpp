// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host_command.hpp"
#include "strict_block.hpp"
#include "strict_chance.hpp"
#include "strict_order.hpp"
#include "strict_ranges.hpp"

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
    /// The parts of it that were given, from and to; none: all of it. The host may use what is between them.
    std::vector<std::pair<std::size_t, std::size_t>> parts{};

    /// Whether it was given the byte of the buffer.
    bool has(std::size_t byte) const noexcept;
    std::byte* data() const noexcept { return block->data() + offset; }
    /// A command has written all of it.
    void define() const { block->undefined().define(offset, bytes); }
    /// "bytes 0 to 64 of device buffer #3 of 4096 bytes"
    std::string describe() const;
};

/// What of its queue a command needs in the call that enqueues it.
struct Origin {
    Chance& chance;
    const Order& order;
};

/// A command of the strict device: it starts when it likes, has access to its buffers only while it runs, and
/// leaves poison where it fails. What the host sees of them must hold when it starts what it held when the
/// command was enqueued, and no copy of another queue may be about to use it that nothing orders with this
/// one.
class StrictCommand : public Command {
public:
    void run() final;
    void skip() noexcept final { spoil(); }

protected:
    /// `what` it is, in words; `all`: it uses all the bytes, as a launch may not.
    StrictCommand(const Origin& origin, const std::string& what, std::vector<Use> uses, bool all = true);
    virtual void act() = 0;
    /// The kind of command, in the vendor's call of its error: "copy", "fill", "launch", "unmap".
    virtual const char* call() const noexcept = 0;
    /// Throws Error (command_failed) with the seed.
    [[noreturn]] void fail(const std::string& what) const;
    const std::vector<Use>& uses() const noexcept { return uses_; }
    /// Of a use of memory that the host sees; null for a device buffer.
    const RangeInFlight* range_of(std::size_t use) const noexcept { return ranges_[use].in_flight.get(); }
    [[noreturn]] void host_wrote(const Use& use, std::size_t byte, const std::string& when) const;
    /// For a constructor: the command fails if another queue's conflicts with it there. `range` is of
    /// `memory`, from `offset` on.
    void check_order(const RangeInFlight& range, const Order& order, const std::string& memory,
                     std::size_t offset);

private:
    struct Range {
        std::unique_ptr<RangeInFlight> in_flight;
        /// What the call that enqueued it saw; empty if another command uses it too, or it is not there.
        std::vector<std::byte> seen;
    };
    void check_unchanged() const;
    void spoil() noexcept;

    const std::chrono::microseconds delay_;
    const std::vector<Use> uses_;
    std::vector<Range> ranges_;
    std::string disorder_; ///< what conflicts with it, if anything
};

/// From host memory, which must hold at the end what it held when the command was enqueued, unless a command
/// before it, still in flight, brings or may bring bytes there.
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

/// To host memory, which is poison from the call on until the command is over, unless other commands in
/// flight use it too.
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

/// The end of a mapping: takes what the host left in it to the buffer, or complains that a mapping for
/// reading was written to.
class StrictUnmap final : public StrictCommand {
public:
    /// `complaint`: what is wrong with the mapping, if anything. `bytes` is empty if nothing goes back.
    StrictUnmap(const Origin& origin, const Use& to, std::vector<std::byte> bytes, std::string complaint);

private:
    void act() override;
    const char* call() const noexcept override { return "unmap"; }
    const std::vector<std::byte> bytes_;
    const std::string complaint_;
};

} // namespace ferry::host
