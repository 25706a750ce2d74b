// SPDX-License-Identifier: Apache-2.0
// The shared spans, by address.
#include "base/no_destructor.hpp"
#include "base/process_maps.hpp"
#include "check/subject.hpp"
#include "share/share_checks.hpp"
#include "share/share_state.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

struct Spans {
    std::mutex mutex;
    std::vector<std::weak_ptr<SpanState>> live;

    Spans() {
        static constexpr race::ShareChecks checks{&check_direct_use, &note_freed_beneath_shares};
        race::set_share_checks(checks);
    }
};
Spans& spans() {
    static NoDestructor<Spans> s;
    return *s;
}

thread_local int own_commands = 0;

std::string range_text(ByteRange range) {
    return "bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end);
}

/// Throws if the command would read outdated bytes, or lose bytes.
void check_direct_use_of_span(const SpanState& span, const std::string& what, ByteRange range, bool writes,
                              SourceLocation where) {
    const HostVersion* const callers = span.versions.front().get();
    const auto is_the_hosts = [&](const SpanState::OpenGuard& guard) {
        return span.host == callers && guard.range.holds(range) && (guard.writes || !writes);
    };
    const bool callers_is_latest = callers->latest.holds(range);
    if (span.members.empty() || (!writes && callers_is_latest) ||
        std::any_of(span.guards.begin(), span.guards.end(), is_the_hosts)) {
        return;
    }
    const std::string name = "The " + what + (writes ? " writes " : " reads ") + range_text(range) +
                             " of the shared memory " + describe_range(span.caller(), span.bytes);
    throw Error(Code::invalid_state,
                writes
                    ? name + " past its share, which does not learn of it; give the command the Shared, or "
                             "enqueue and finish it within a guard for writing"
                    : name + ", and the latest of them are elsewhere; give the command the Shared, or "
                             "enqueue and finish it within a guard of Shared::host()",
                where);
}

} // namespace

OwnCommand::OwnCommand() noexcept {
    ++own_commands;
}
OwnCommand::~OwnCommand() {
    --own_commands;
}

namespace {

struct Overlap {
    std::shared_ptr<SpanState> span;
    ByteRange range; ///< Within it.
};

/// No thread waits while the list is locked, neither for a span nor for objects that end with one.
std::vector<Overlap> overlapping(std::uintptr_t begin, std::uintptr_t end) {
    std::vector<Overlap> found;
    std::vector<std::shared_ptr<SpanState>> others; // Spans that may end here.
    const std::lock_guard lock(spans().mutex);
    for (const std::weak_ptr<SpanState>& weak : spans().live) {
        std::shared_ptr<SpanState> span = weak.lock();
        if (span == nullptr) {
            continue;
        }
        const auto first = reinterpret_cast<std::uintptr_t>(span->caller());
        const std::uintptr_t from = std::max(begin, first);
        const std::uintptr_t to = std::min(end, first + span->bytes);
        if (from < to && span->forks == fork_count()) {
            found.push_back({std::move(span), {from - first, to - first}});
        } else {
            others.push_back(std::move(span));
        }
    }
    return found;
}

} // namespace

void check_direct_use(const std::string& what, std::uintptr_t begin, std::uintptr_t end, bool writes,
                      SourceLocation where) {
    if (own_commands != 0) {
        return;
    }
    const OwnCommand own; // A span that ends meanwhile frees its versions.
    for (const Overlap& overlap : overlapping(begin, end)) {
        const std::lock_guard lock(overlap.span->mutex);
        check_direct_use_of_span(*overlap.span, what, overlap.range, writes, where);
    }
}

void note_freed_beneath_shares(const std::string& buffer, std::uintptr_t begin, std::uintptr_t end) noexcept {
    if (own_commands != 0) {
        return;
    }
    const OwnCommand own;
    try {
        for (const Overlap& overlap : overlapping(begin, end)) {
            overlap.span->freed_beneath.tell(range_text(overlap.range) + " of it were in " + buffer);
        }
    } catch (const std::exception&) { // Out of memory for the text.
    }
}

std::shared_ptr<SpanState> join_span(void* data, std::size_t bytes, unsigned versions, SourceLocation where) {
    Spans& s = spans();
    const OwnCommand own;
    std::vector<std::shared_ptr<SpanState>> others; // As above.
    const std::lock_guard lock(s.mutex);
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    std::erase_if(s.live, [](const std::weak_ptr<SpanState>& span) { return span.expired(); });
    for (const std::weak_ptr<SpanState>& weak : s.live) {
        std::shared_ptr<SpanState> span = weak.lock();
        if (span == nullptr) {
            continue;
        }
        others.push_back(span);
        if (span->forks != fork_count()) {
            continue;
        }
        const auto other = reinterpret_cast<std::uintptr_t>(span->caller());
        if (begin == other && bytes == span->bytes) {
            if (versions > 1 || span->most_versions > 1) {
                throw Error(Code::invalid_argument,
                            "The memory to share, " + describe_range(data, bytes) +
                                ", is shared already, and several versions (ShareOptions::versions is " +
                                std::to_string(std::max(versions, span->most_versions)) +
                                ") can only be kept for one device",
                            where);
            }
            return span;
        }
        if (begin < other + span->bytes && other < begin + bytes) {
            throw Error(
                Code::invalid_argument,
                "The memory to share, " + describe_range(data, bytes) + ", overlaps memory that is shared, " +
                    describe_range(span->caller(), span->bytes) +
                    "; share the same range, ranges that do not overlap, or end the other share first",
                where);
        }
    }
    auto span = std::make_shared<SpanState>(data, bytes, versions);
    s.live.push_back(span);
    return span;
}

} // namespace ferry::detail
