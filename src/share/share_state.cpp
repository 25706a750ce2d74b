// SPDX-License-Identifier: Apache-2.0
#include "share/share_state.hpp"

#include "base/process_maps.hpp"
#include "share/share_checks.hpp"

#include <string>

namespace ferry::detail {

Region ShareState::region(ByteRange range) const noexcept {
    const HostVersion& host = *span->host;
    if (in_place && host.memory != nullptr) {
        return {host.memory.get(), range.begin, range.size()};
    }
    return {memory.get(), offset + range.begin, range.size()};
}

Region ShareState::locked_region(ByteRange range) const noexcept {
    const bool callers = span->host == span->versions.front().get();
    return callers && locked.memory != nullptr
               ? Region{locked.memory.get(), locked.offset + range.begin, range.size()}
               : Region{};
}

Queue& ShareState::queue(SourceLocation where) {
    if (!own_queue) {
        own_queue.emplace(Device(device), QueueOptions{.timing = false}, where);
    }
    return *own_queue;
}

void ShareState::copy_up(Queue& queue, ByteRange range, SourceLocation where) {
    const OwnCommand own;
    const View<std::byte> to(region(range));
    if (const Region host = locked_region(range); host.memory != nullptr) {
        queue.copy(View<const std::byte>(host), to, where);
    } else {
        queue.copy(std::span<const std::byte>(span->host->data + range.begin, range.size()), to, where);
    }
    explanation.bytes_up += range.size();
    ++explanation.copies;
}

void ShareState::copy_down(Queue& queue, ByteRange range, SourceLocation where) {
    const OwnCommand own;
    const View<const std::byte> from(region(range));
    if (const Region host = locked_region(range); host.memory != nullptr) {
        queue.copy(from, View<std::byte>(host), where);
    } else {
        queue.copy(from, std::span<std::byte>(span->host->data + range.begin, range.size()), where);
    }
    explanation.bytes_down += range.size();
    ++explanation.copies;
}

void ShareState::check_not_forked(SourceLocation where) const {
    if (span->forks != fork_count()) {
        throw Error(
            Code::invalid_state,
            "The shared memory " + describe_range(span->caller(), span->bytes) +
                " was shared before fork(), and only the parent process can use it; share it again in a "
                "process that has not used a device before it forked",
            where);
    }
}

void ShareState::check_usable(SourceLocation where) const {
    check_not_forked(where);
    device.check_alive(where);
}

void ShareState::check_no_guard(SourceLocation where) const {
    const std::lock_guard lock(span->mutex);
    for (const SpanState::OpenGuard& guard : span->guards) {
        if (guard.by == this) {
            throw Error(Code::invalid_state,
                        "The share of the memory " + describe_range(span->caller(), span->bytes) +
                            " cannot end while the host has a guard from it for " +
                            (guard.writes ? "writing" : "reading") + " bytes " +
                            std::to_string(guard.range.begin) + " to " + std::to_string(guard.range.end) +
                            "; end that guard first",
                        where);
        }
    }
}

const ShareState& check_share(const ShareHandle& state, SourceLocation where) {
    if (state == nullptr) {
        throw Error(Code::invalid_state, "The share is empty: it was moved from, ended or never made", where);
    }
    state->check_not_forked(where);
    return *state;
}

Device device_of(const ShareState& state) noexcept {
    return Device(state.device);
}

Explanation explain(const ShareState& state) {
    const std::lock_guard lock(state.span->mutex);
    return state.explanation;
}

} // namespace ferry::detail
