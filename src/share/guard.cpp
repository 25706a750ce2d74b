// SPDX-License-Identifier: Apache-2.0
#include "base/process_maps.hpp"
#include "share/share_state.hpp"
#include "system/fork.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <ferry/buffer.hpp>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

/// Memory for one more version. Null if there is none that the host can access; the guard then waits.
MemoryHandle version_memory(SpanState& span, const Device& device, SourceLocation where) {
    const bool page_locked = device.has(MemoryKind::host);
    MemoryHandle memory;
    try {
        memory = allocate(device, span.bytes, 1, page_locked ? MemoryKind::host : MemoryKind::device, where);
    } catch (const Error& error) {
        if (error.code() != Code::out_of_memory) {
            throw;
        }
        return nullptr; // There may be some the next time.
    }
    if (!page_locked && memory->native().host == nullptr) {
        span.no_more_versions = true;
        return nullptr;
    }
    return memory;
}

/// An unused version of the host's bytes. Null if there are to be no more.
HostVersion* free_version(SpanState& span, ShareState& member, SourceLocation where) {
    for (const auto& version : span.versions) {
        if (version.get() != span.host && !span.busy(*version)) {
            span.forget(*version); // Including failures, because all its bytes are written again.
            return version.get();
        }
    }
    if (span.versions.size() == span.most_versions || span.no_more_versions) {
        return nullptr;
    }
    const MemoryHandle memory = version_memory(span, Device(member.device), where);
    if (memory == nullptr) {
        return nullptr;
    }
    auto version = std::make_unique<HostVersion>();
    memory->settle();
    version->data = static_cast<std::byte*>(memory->native().host);
    version->memory = memory;
    span.versions.push_back(std::move(version));
    return span.versions.back().get();
}

void wait(std::unique_lock<std::mutex>& lock, const std::vector<Event>& events, SourceLocation where) {
    if (events.empty()) {
        return;
    }
    lock.unlock();
    for (const Event& event : events) {
        event.wait(where);
    }
    lock.lock();
}

/// Switches the host to a new version, with the bytes of the old one that it does not write. Does not switch
/// if other threads prevent it.
void change_version(SpanState& span, HostVersion& fresh, HostAccess access, ByteRange range, Queue& queue,
                    std::unique_lock<std::mutex>& lock, SourceLocation where) {
    if (access == HostAccess::write && range.holds(span.all())) {
        span.written(fresh, range);
        span.host = &fresh;
        return;
    }
    // During each wait other threads may launch, and get guards, for the rest of the bytes.
    constexpr int most_waits = 8;
    for (int waits = 0; waits < most_waits && span.guards.size() == 1; ++waits) {
        span.bring_to_host(span.all(), &queue, where);
        if (!span.being_written(*span.host)) {
            std::memcpy(fresh.data, span.host->data, span.bytes);
            fresh.latest = RangeSet(span.all());
            span.host = &fresh;
            return;
        }
        wait(lock, span.events_before(*span.host, span.all(), false), where);
    }
}

} // namespace

HostGuardHandle::HostGuardHandle(ShareHandle state, Queue& queue, HostAccess access, std::size_t offset,
                                 std::size_t bytes, SourceLocation where) {
    const trace::Span traced("Shared::host", where);
    const NoCancellation not_cancelled;
    state->check_usable(where);
    if (&queue.state(where).device() != &state->device) {
        throw Error(Code::invalid_argument,
                    "The memory is shared with " + state->device.describe() + ", but the queue is on " +
                        queue.state(where).device().describe(),
                    where);
    }
    if (bytes == 0) {
        return;
    }
    SpanState& span = *state->span;
    const ByteRange range{offset, offset + bytes};
    const bool writes = access != HostAccess::read;
    if (writes && state->read_only) {
        throw Error(Code::invalid_argument,
                    "The host cannot have a guard for writing the shared memory " +
                        describe_range(span.caller(), span.bytes) +
                        ": its elements are const or its pages read-only",
                    where);
    }
    std::unique_lock lock(span.mutex);
    span.check_guards(range, writes, where);
    span.check_digests(where);
    span.take_back_failed();
    const bool anew = access == HostAccess::write;
    const std::size_t number = ++span.last_guard;
    span.guards.push_back({number, range, writes, state.get()}); // From here on launches are rejected.
    try {
        if (writes && span.most_versions > 1 && span.guards.size() == 1 &&
            !span.events_before(*span.host, range, true).empty() && span.busy(*span.host)) {
            if (HostVersion* const fresh = free_version(span, *state, where)) {
                change_version(span, *fresh, access, range, queue, lock, where);
            }
        }
        if (!anew) {
            wait(lock, span.failed_writes(range), where);
            span.bring_to_host(range, &queue, where);
        }
        wait(lock, span.events_before(*span.host, range, writes, anew), where);
        if (anew) {
            span.forget_failures(range);
        }
        if (writes) {
            span.drop_digests(range);
            span.written(*span.host, range);
        }
    } catch (...) {
        if (!lock.owns_lock()) {
            lock.lock();
        }
        span.take_back_failed(true);
        std::erase_if(span.guards, [&](const SpanState::OpenGuard& guard) { return guard.number == number; });
        throw;
    }
    data_ = span.host->data + offset;
    number_ = number;
    state_ = std::move(state);
}

HostGuardHandle::HostGuardHandle(HostGuardHandle&& other) noexcept
    : state_(std::move(other.state_)),
      data_(std::exchange(other.data_, nullptr)),
      number_(std::exchange(other.number_, 0)) {}

HostGuardHandle& HostGuardHandle::operator=(HostGuardHandle&& other) noexcept {
    if (this != &other) {
        end();
        state_ = std::move(other.state_);
        data_ = std::exchange(other.data_, nullptr);
        number_ = std::exchange(other.number_, 0);
    }
    return *this;
}

void HostGuardHandle::end() noexcept {
    ShareHandle state = std::exchange(state_, nullptr);
    data_ = nullptr;
    if (state == nullptr) {
        return;
    }
    if (state->span->forks != fork_count()) {
        abandon(state);
        return;
    }
    SpanState& span = *state->span;
    const std::lock_guard lock(span.mutex);
    std::erase_if(span.guards, [&](const SpanState::OpenGuard& guard) { return guard.number == number_; });
    try {
        span.record_digests();
    } catch (
        const std::exception&) { // An unknown value of FERRY_CHECK, which the creation of queues reports.
    }
}

} // namespace ferry::detail
