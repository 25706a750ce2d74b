// SPDX-License-Identifier: Apache-2.0
#include "strict/strict_command.hpp"

#include "host/host_exit.hpp"
#include "strict/strict_unwritten.hpp"
#include "system/fault.hpp"
#include "system/pause.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

namespace ferry::host {
namespace {

// Gives a command access to its buffers.
class Opened {
public:
    explicit Opened(const std::vector<Use>& uses) : uses_(uses) {
        for (const Use& use : uses_) {
            use.block->open(use.writes);
        }
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() { close(); }

    /// Describes writes to the bytes around them, if there are any.
    std::optional<std::string> close() {
        std::optional<std::string> text;
        for (; at_ < uses_.size(); ++at_) {
            if (const auto damage = uses_[at_].block->close(uses_[at_].writes); damage && !text) {
                text = "wrote to " + *damage + " of " + host::describe(uses_[at_].block->owner());
            }
        }
        return text;
    }

private:
    const std::vector<Use>& uses_;
    std::size_t at_ = 0;
};

std::string to_text(const Use& to) {
    return "the copy of host memory to " + to.describe();
}
std::string from_text(const Use& from) {
    return "the copy of " + from.describe() + " to host memory";
}

std::vector<std::byte> bytes_of(const void* data, std::size_t bytes) {
    const auto* const from = static_cast<const std::byte*>(data);
    return {from, from + bytes};
}

} // namespace

bool Use::has(std::size_t byte) const noexcept {
    return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const auto& part) {
               return part.first <= byte && byte < part.second;
           });
}

std::string Use::describe() const {
    return "bytes " + std::to_string(offset) + " to " + std::to_string(offset + bytes) + " of " +
           host::describe(block->owner());
}

StrictCommand::StrictCommand(const Origin& origin, const std::string& what, std::vector<Use> uses, bool all)
    : delay_(origin.chance.delay()), uses_(std::move(uses)) {
    for (const Use& use : uses_) {
        Range& range = ranges_.emplace_back();
        if (!use.block->on_host()) {
            continue;
        }
        using How = RangeInFlight::Use;
        const How how = all ? (use.writes ? How::written : How::read)
                            : (use.writes ? How::may_be_written : How::may_be_read);
        range.in_flight = std::make_unique<RangeInFlight>(use.data(), use.bytes, how, origin.order, what);
        check_order(*range.in_flight, origin.order, host::describe(use.block->owner()), use.offset);
        if (range.in_flight->is_alone()) {
            range.seen.resize(use.bytes);
            Fault fault; // Pages of an import are gone; run() reports it.
            if (!trapped([&] { std::memcpy(range.seen.data(), use.data(), use.bytes); }, fault)) {
                range.seen.clear();
            }
        }
    }
}

void StrictCommand::check_order(const RangeInFlight& range, const Order& order, const std::string& memory,
                                std::size_t offset) {
    const auto found = disorder_.empty() ? range.conflict(order) : std::nullopt;
    if (found) {
        disorder_ = "It uses bytes " + std::to_string(offset + found->begin) + " to " +
                    std::to_string(offset + found->end) + " of " + memory + ", which " + found->command +
                    (found->writes ? " writes" : " reads") +
                    "; that was enqueued before it by another queue and was not over, and nothing orders the "
                    "two: record an event after that and let this queue wait for it";
    }
}

void StrictCommand::host_wrote(const Use& use, std::size_t byte, const std::string& when) const {
    fail("The host wrote to byte " + std::to_string(use.offset + byte) + " of " +
         host::describe(use.block->owner()) + " " + when + "; wait for the " + call() +
         " (an event, finish()) before writing to the bytes that it uses, or let it use fewer of them");
}

void StrictCommand::check_unchanged() const {
    for (std::size_t i = 0; i < uses_.size(); ++i) {
        const std::vector<std::byte>& seen = ranges_[i].seen;
        for (std::size_t byte = 0; byte < seen.size(); ++byte) {
            if (seen[byte] != uses_[i].data()[byte] && uses_[i].has(uses_[i].offset + byte)) {
                host_wrote(uses_[i], byte,
                           "after the " + std::string(call()) + " was enqueued and before it began");
            }
        }
    }
}

void StrictCommand::fail(const std::string& what) const {
    throw Error(Code::command_failed, what + strict_note(), VendorCall{Backend::host, call(), 0, {}},
                SourceLocation{});
}

void StrictCommand::run() {
    if (delay_.count() != 0) {
        detail::poll_until(detail::PollClock::now() + delay_,
                           std::min(delay_, std::chrono::microseconds(200)), [] { return stopping(); });
    }
    try {
        const InHand in_hand;
        if (stopping()) {
            return;
        }
        if (!disorder_.empty()) {
            fail(disorder_);
        }
        Opened opened(uses_);
        Fault fault;
        const auto work = [this] {
            check_unchanged();
            act();
        };
        if (!trapped(work, fault)) {
            fail("It " + std::string(FaultText(fault, false).c_str()));
        }
        if (const auto damage = opened.close()) {
            fail("It, or the host meanwhile, " + *damage);
        }
    } catch (const Error&) {
        spoil();
        throw;
    }
}

// The results of a failed command are undefined.
void StrictCommand::spoil() noexcept {
    for (const Use& use : uses_) {
        if (use.writes) {
            use.block->open(true);
            Fault fault; // The pages of an import are gone.
            static_cast<void>(trapped([&] { poison(use.data(), use.bytes); }, fault));
            use.block->close(true);
        }
    }
}

StrictWrite::StrictWrite(const Origin& origin, const void* from, const Use& to)
    : StrictCommand(origin, to_text(to), {to}),
      range_(from, to.bytes, RangeInFlight::Use::read, origin.order, to_text(to)),
      from_(static_cast<const std::byte*>(from)),
      to_come_(range_.is_filled_by_another()),
      seen_(bytes_of(from, to_come_ ? 0 : to.bytes)) {
    check_order(range_, origin.order, "the host memory that it copies from", 0);
}

void StrictWrite::act() {
    if (to_come_) {
        std::memcpy(uses()[0].data(), from_, uses()[0].bytes);
        uses()[0].define();
        return;
    }
    const auto differs = std::mismatch(seen_.begin(), seen_.end(), from_).first;
    if (differs != seen_.end()) {
        fail("The host memory that it copies from to " + uses()[0].describe() + " was written to, at byte " +
             std::to_string(differs - seen_.begin()) +
             ", after the copy was enqueued and before it was done; wait for the copy (an event, finish()) "
             "before writing there");
    }
    std::memcpy(uses()[0].data(), seen_.data(), seen_.size());
    uses()[0].define();
}

StrictRead::StrictRead(const Origin& origin, const Use& from, void* to)
    : StrictCommand(origin, from_text(from), {from}),
      range_(to, from.bytes, RangeInFlight::Use::written, origin.order, from_text(from)),
      to_(static_cast<std::byte*>(to)),
      poisoned_(range_.is_alone()) {
    check_order(range_, origin.order, "the host memory that it copies to", 0);
    if (poisoned_) {
        poison(to_, uses()[0].bytes);
    }
}

void StrictRead::act() {
    const std::size_t bytes = uses()[0].bytes;
    if (const std::size_t at = poisoned_ ? unpoisoned(to_, bytes) : bytes; at != bytes) {
        fail("The host memory that it copies " + uses()[0].describe() + " to was written to, at byte " +
             std::to_string(at) +
             ", after the copy was enqueued and before it was done; wait for the copy (an event, finish()) "
             "before using that memory");
    }
    std::memcpy(to_, uses()[0].data(), bytes);
}

StrictCopy::StrictCopy(const Origin& origin, const Use& from, const Use& to)
    : StrictCommand(origin, "the copy of " + from.describe() + " to " + to.describe(), {from, to}) {}

void StrictCopy::act() {
    const Use& from = uses()[0];
    const Use& to = uses()[1];
    std::memcpy(to.data(), from.data(), to.bytes);
    const UndefinedBytes::Marks marks = from.block->undefined_of(from.offset, from.bytes, from.data());
    marks.empty() ? to.define() : to.block->undefined().assign(to.offset, marks);
}

StrictFill::StrictFill(const Origin& origin, const Use& to, const void* pattern, std::size_t size)
    : StrictCommand(origin, "the fill of " + to.describe(), {to}), pattern_(bytes_of(pattern, size)) {}

void StrictFill::act() {
    const Use& to = uses()[0];
    for (std::size_t at = 0; at < to.bytes; at += pattern_.size()) {
        std::memcpy(to.data() + at, pattern_.data(), std::min(pattern_.size(), to.bytes - at));
    }
    to.define();
}

StrictUnmap::StrictUnmap(const Origin& origin, const Use& to, std::vector<std::byte> bytes,
                         std::string complaint)
    : StrictCommand(origin, "the write-back of a mapping of " + to.describe(), {to}),
      bytes_(std::move(bytes)),
      complaint_(std::move(complaint)) {}

void StrictUnmap::act() {
    if (!complaint_.empty()) {
        fail(complaint_);
    }
    if (bytes_.empty()) { // after a mapping for reading
        return;
    }
    const Use& to = uses()[0];
    UndefinedBytes::Marks marks = to.block->undefined_of(to.offset, to.bytes, to.data());
    for (std::size_t i = 0; i < marks.size(); ++i) {
        marks[i] = marks[i] != 0 && bytes_[i] == to.data()[i] ? 1 : 0;
    }
    drop_short_runs(marks, shortest_certain); // the host may have written what was there
    std::copy(bytes_.begin(), bytes_.end(), to.data());
    marks.empty() ? to.define() : to.block->undefined().assign(to.offset, marks);
}

} // namespace ferry::host
