// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_state.hpp"
#include "memory_state.hpp"
#include "queue_state.hpp"
#include "share/ranges.hpp"
#include "share/seal.hpp"
#include "share/withheld.hpp"

#include <ferry/event.hpp>
#include <ferry/queue.hpp>
#include <ferry/share.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ferry::detail {

class ShareState;

/// One place where the bytes of a span may be: a version of them in host memory, or a device's copy.
struct SharePlace {
    RangeSet latest; ///< bytes whose last version is here
};

/// A version of the bytes in host memory; the first one is the caller's.
struct HostVersion : SharePlace {
    std::byte* data = nullptr;
    MemoryHandle memory; ///< the others: as the device uses it
};

/// A command that may still be using a place.
struct PlaceUse {
    const SharePlace* place = nullptr;
    ByteRange range;
    bool writes = false;
    Event event;
    const QueueState* queue = nullptr;
    bool brings = false; ///< it writes what another place has
    bool told = false;   ///< it failed, and a guard has said so
};

/// What a thread leaves for one that has a mutex which it must not wait for.
class Message {
public:
    void tell(std::string text) {
        const std::lock_guard lock(mutex_);
        text_ = std::move(text);
    }
    std::string text() const {
        const std::lock_guard lock(mutex_);
        return text_;
    }

private:
    mutable std::mutex mutex_;
    std::string text_;
};

/// A span of the caller's that is shared with one device or several: where the latest bytes are, and who uses
/// them. Everything but the address and the mutex is under the mutex.
class SpanState {
public:
    SpanState(void* data, std::size_t size, unsigned count);

    struct OpenGuard {
        std::size_t number;
        ByteRange range;
        bool writes;
        const ShareState* by;
    };

    const std::size_t bytes;
    const unsigned most_versions;
    const unsigned forks;     ///< when it was made
    std::byte* const callers; ///< its first byte
    std::mutex mutex;
    std::vector<std::unique_ptr<HostVersion>> versions; ///< the first is the caller's memory
    HostVersion* host = nullptr;                        ///< the current one
    bool no_more_versions = false;                      ///< the host cannot reach what they would be made of
    std::vector<ShareState*> members;
    std::vector<OpenGuard> guards;
    std::size_t last_guard = 0;
    const std::shared_ptr<Withheld> withheld; ///< of the caller's memory
    unsigned joining = 0;  ///< shares that are being made: their drivers look at all of the memory
    Message freed_beneath; ///< which buffer of Ferry's the bytes were in, that has ended

    ByteRange all() const noexcept { return {0, bytes}; }
    std::byte* caller() const noexcept { return callers; }

    /// Lets `queue` come after the commands that conflict with a use of its.
    void order(Queue& queue, const SharePlace& place, ByteRange range, bool writes, SourceLocation where);
    void add_use(Queue& queue, const SharePlace& place, ByteRange range, bool writes, const Event& event,
                 bool brings = false);
    /// Events that the host waits for before it uses the range itself. `anew`: it writes all of the range, so
    /// that what has failed there, and was told, is of no account.
    std::vector<Event> events_before(const SharePlace& place, ByteRange range, bool writes,
                                     bool anew = false) const;
    /// The host has written all of the range anew.
    void forget_failures(ByteRange range);
    /// Of commands that have failed to write what the devices' own memory would have to be copied back for:
    /// their queues may be well again, and a copy on them would not fail.
    std::vector<Event> failed_writes(ByteRange range) const;
    /// What a transfer that has failed was to bring is not there after all, and is brought again when it is
    /// wanted. `told`: a guard is about to throw for what has failed.
    void take_back_failed(bool told = false);
    /// A share ends, and what only it had could not be copied back: until those bytes are written anew,
    /// whoever wants them gets the error. `told`: the program has it already.
    void lose_what_only_it_has(const SharePlace& place, const Error& error, bool told);
    /// The error of bytes that were lost and that nobody has been told of; it is told now.
    std::optional<Error> untold_loss();
    bool busy(const SharePlace& place) const;
    /// Whether a command writes to the place, or has failed to.
    bool being_written(const SharePlace& place) const;
    void forget(const SharePlace& place);

    /// Sees to it that the host's current version has the latest of these bytes: enqueues, and does not wait.
    /// `preferred`: a queue that may be used for its own device.
    void bring_to_host(ByteRange range, Queue* preferred, SourceLocation where);
    void bring_to_device(ShareState& member, ByteRange range, Queue& queue, SourceLocation where);
    /// The latest of the range is at that place and nowhere else.
    void written(const SharePlace& place, ByteRange range);

    void check_guards(ByteRange range, bool writes, SourceLocation where) const;
    /// With FERRY_CHECK=races: the host's bytes as they are now, but those that a guard or a command may
    /// write to. check_seal() throws Error (invalid_state) where others were written to since, and where the
    /// memory is no longer mapped.
    void seal();
    void check_seal(SourceLocation where);
    /// Throws Error (invalid_state) if the caller's memory has been unmapped, or was a buffer's that has
    /// ended. With FERRY_CHECK=races.
    void check_mapped(SourceLocation where) const;
    /// Somebody is about to write to the range, and may.
    void break_seal(ByteRange range);
    /// A command on the queue has just been enqueued that writes the range to a device's own memory, up to
    /// the event. Where not all members leave the host's pages alone, or something fails, nothing is
    /// withheld.
    void withhold(Queue& queue, ByteRange range, const std::string& kernel, const Event& written) noexcept;
    /// The host, or a command that is about to be enqueued, may use the range.
    void give_back(ByteRange range) noexcept;

private:
    void prune();
    void take_back(const PlaceUse& use);
    void check_lost(ByteRange range, SourceLocation where) const;

    struct Lost {
        RangeSet ranges;
        Error error;
        bool told;
    };

    std::vector<PlaceUse> uses_;
    std::vector<Lost> lost_;
    Seal seal_;
    std::optional<ByteRange> changed_; ///< found by seal(), to be told by check_seal()
};

/// What stands behind a Shared: one device's part in a span. Under the span's mutex, except what is const.
class ShareState : public SharePlace {
public:
    ShareState(DeviceState& on, Access intent, bool constant, std::shared_ptr<SpanState> shared)
        : device(on), access(intent), read_only(constant), span(std::move(shared)) {}
    ShareState(const ShareState&) = delete;
    ShareState& operator=(const ShareState&) = delete;

    DeviceState& device;
    const Access access;
    const bool read_only; ///< the host's: const elements, or pages that cannot be written
    const std::shared_ptr<SpanState> span;
    bool in_place = false;
    MemoryHandle memory; ///< in place: the import; else the device's copy
    std::size_t offset = 0;
    ImportedRange locked; ///< copy: what page-locks the caller's memory, if Ferry does
    std::optional<Queue> own_queue;
    Explanation explanation;

    bool reads() const noexcept { return access != Access::device_writes; }
    bool writes() const noexcept { return access != Access::device_reads; }
    /// Where this device's commands find the bytes.
    SharePlace& place() noexcept { return in_place ? static_cast<SharePlace&>(*span->host) : *this; }
    Region region(ByteRange range) const noexcept;
    /// The host's current bytes where Ferry page-locks them; else of no memory.
    Region locked_region(ByteRange range) const noexcept;
    Queue& queue(SourceLocation where);
    void copy_up(Queue& queue, ByteRange range, SourceLocation where);
    void copy_down(Queue& queue, ByteRange range, SourceLocation where);
    void check_not_forked(SourceLocation where) const;
    void check_usable(SourceLocation where) const;
    /// Throws Error (invalid_state) while the host has a guard from this share.
    void check_no_guard(SourceLocation where) const;
};

/// The span state of exactly this memory, new or shared already. Throws Error (invalid_argument) where it
/// overlaps a live one that is not the same.
std::shared_ptr<SpanState> join_span(void* data, std::size_t bytes, unsigned versions, SourceLocation where);

} // namespace ferry::detail
