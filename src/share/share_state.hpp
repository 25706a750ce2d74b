// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/range_set.hpp"
#include "device/device_state.hpp"
#include "memory/memory_state.hpp"
#include "queue/queue_state.hpp"
#include "share/byte_digests.hpp"
#include "share/protected_pages.hpp"

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

/// A place for the bytes of a span: a version of them in host memory, or a device's copy.
struct SharePlace {
    RangeSet latest; ///< Bytes with their latest version here.
};

/// A version of the bytes in host memory. The first one is the caller's.
struct HostVersion : SharePlace {
    std::byte* data = nullptr;
    MemoryHandle memory; ///< Of all versions but the first: the memory as the device uses it.
};

/// A command that may still be using a place.
struct PlaceUse {
    const SharePlace* place = nullptr;
    ByteRange range;
    bool writes = false;
    Event event;
    const QueueState* queue = nullptr;
    bool brings = false;   ///< It writes bytes that another place has.
    bool reported = false; ///< It failed, and a guard has reported it.
};

/// A message passed without taking the receiver's mutex.
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

/// A span of the caller that is shared with one or several devices: the places of the latest bytes, and their
/// users. The mutex protects everything but the address and itself.
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
    const unsigned forks;     ///< At its creation.
    std::byte* const callers; ///< Its first byte.
    std::mutex mutex;
    std::vector<std::unique_ptr<HostVersion>> versions; ///< The first is the caller's memory.
    HostVersion* host = nullptr;                        ///< The current one.
    bool no_more_versions = false;                      ///< The host cannot access the memory for new
                                                        ///< versions.
    std::vector<ShareState*> members;
    std::vector<OpenGuard> guards;
    std::size_t last_guard = 0;
    const std::shared_ptr<ProtectedPages> protected_pages; ///< Of the caller's memory.
    unsigned joining = 0;  ///< Number of shares in creation: their drivers access all of the memory.
    Message freed_beneath; ///< The destroyed buffer of Ferry that contained the bytes.

    ByteRange all() const noexcept { return {0, bytes}; }
    std::byte* caller() const noexcept { return callers; }

    /// Orders `queue` after the commands that conflict with its use.
    void order(Queue& queue, const SharePlace& place, ByteRange range, bool writes, SourceLocation where);
    void add_use(Queue& queue, const SharePlace& place, ByteRange range, bool writes, const Event& event,
                 bool brings = false);
    /// Events that the host must wait for before it uses the range. `anew`: it writes all of the range, so
    /// reported failures there do not matter.
    std::vector<Event> events_before(const SharePlace& place, ByteRange range, bool writes,
                                     bool anew = false) const;
    /// The host has written the whole range again.
    void forget_failures(ByteRange range);
    /// Events of failed commands that should have written bytes that would have to be copied back from the
    /// devices' own memory. Their queues may be usable again, and a copy on them would not fail.
    std::vector<Event> failed_writes(ByteRange range) const;
    /// Undoes failed transfers: their bytes are transferred again when they are needed. `reported`: a guard
    /// is about to throw the failure.
    void take_back_failed(bool reported = false);
    /// A share ends, and its exclusive bytes could not be copied back. Every use of these bytes throws the
    /// error until they are written again. `reported`: the program already has it.
    void lose_what_only_it_has(const SharePlace& place, const Error& error, bool reported);
    /// The error of lost bytes that was not reported. It counts as reported now.
    std::optional<Error> unreported_loss();
    bool busy(const SharePlace& place) const;
    /// Whether a command writes to the place, or has failed to.
    bool being_written(const SharePlace& place) const;
    void forget(const SharePlace& place);

    /// Makes sure that the host's current version has the latest of these bytes: enqueues, and does not wait.
    /// `preferred`: a queue that may be used for its own device.
    void bring_to_host(ByteRange range, Queue* preferred, SourceLocation where);
    void bring_to_device(ShareState& member, ByteRange range, Queue& queue, SourceLocation where);
    /// The latest version of the range is at this place only.
    void written(const SharePlace& place, ByteRange range);

    void check_guards(ByteRange range, bool writes, SourceLocation where) const;
    /// With FERRY_CHECK=races: stores digests of the host's bytes, except those that a guard or a command may
    /// write to. check_digests() throws Error (invalid_state) if others were written since then, or if the
    /// memory is no longer mapped.
    void record_digests();
    void check_digests(SourceLocation where);
    /// With FERRY_CHECK=races: throws Error (invalid_state) if the caller's memory has been unmapped, or
    /// belonged to a buffer that was destroyed.
    void check_mapped(SourceLocation where) const;
    /// The range is about to be written legitimately.
    void drop_digests(ByteRange range);
    /// A command was just enqueued on the queue that writes the range in a device's own memory, up to the
    /// event. Nothing is protected if some members access the host's pages, or if an error occurs.
    void protect_pages(Queue& queue, ByteRange range, const std::string& kernel,
                       const Event& written) noexcept;
    /// The host, or a command that is about to be enqueued, may use the range.
    void give_back(ByteRange range) noexcept;

private:
    void prune();
    void take_back(const PlaceUse& use);
    void check_lost(ByteRange range, SourceLocation where) const;

    struct Lost {
        RangeSet ranges;
        Error error;
        bool reported;
    };

    std::vector<PlaceUse> uses_;
    std::vector<Lost> lost_;
    ByteDigests digests_;
    std::optional<ByteRange> changed_; ///< Found by record_digests(), to be reported by check_digests().
};

/// Implementation of Shared: one device's part in a span. Protected by the span's mutex, except for const
/// members.
class ShareState : public SharePlace {
public:
    ShareState(DeviceState& on, Access intent, bool constant, std::shared_ptr<SpanState> shared)
        : device(on), access(intent), read_only(constant), span(std::move(shared)) {}
    ShareState(const ShareState&) = delete;
    ShareState& operator=(const ShareState&) = delete;

    DeviceState& device;
    const Access access;
    const bool read_only; ///< For the host: const elements, or pages that cannot be written.
    const std::shared_ptr<SpanState> span;
    bool in_place = false;
    MemoryHandle memory; ///< In place: the import; otherwise the device's copy.
    std::size_t offset = 0;
    ImportedRange locked; ///< copy: the page-locking of the caller's memory, if Ferry does it.
    std::optional<Queue> own_queue;
    Explanation explanation;

    bool reads() const noexcept { return access != Access::device_writes; }
    bool writes() const noexcept { return access != Access::device_reads; }
    /// The place that this device's commands use.
    SharePlace& place() noexcept { return in_place ? static_cast<SharePlace&>(*span->host) : *this; }
    Region region(ByteRange range) const noexcept;
    /// The host's current bytes if Ferry page-locks them; otherwise without a memory.
    Region locked_region(ByteRange range) const noexcept;
    Queue& queue(SourceLocation where);
    void copy_up(Queue& queue, ByteRange range, SourceLocation where);
    void copy_down(Queue& queue, ByteRange range, SourceLocation where);
    void check_not_forked(SourceLocation where) const;
    void check_usable(SourceLocation where) const;
    /// Throws Error (invalid_state) while the host has a guard from this share.
    void check_no_guard(SourceLocation where) const;
};

/// The span state of exactly this memory, new or already shared. Throws Error (invalid_argument) if it
/// overlaps a live one without being identical.
std::shared_ptr<SpanState> join_span(void* data, std::size_t bytes, unsigned versions, SourceLocation where);

} // namespace ferry::detail
