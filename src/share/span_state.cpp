// SPDX-License-Identifier: Apache-2.0
#include "base/process_maps.hpp"
#include "base/text.hpp"
#include "check/race.hpp"
#include "queue/event_state.hpp"
#include "share/share_state.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace ferry::detail {
namespace {

constexpr std::size_t prune_above = 32;

bool conflict(const PlaceUse& use, const SharePlace& place, ByteRange range, bool writes) {
    return use.place == &place && (writes || use.writes) && use.range.overlaps(range);
}

bool ended_well(const Event& event) {
    return event.ready() && event.state()->phase() != EventState::Phase::failed;
}

/// Queries the driver only about events that are known to be done: finish() may have thrown the error
/// meanwhile. Before that, everything after a failed command on its queue fails with it.
bool known_to_be_over(const Event& event) {
    EventState& state = *event.state();
    return state.phase() == EventState::Phase::recorded &&
           state.queue().timeline().has_reached(state.sequence());
}
bool known_to_have_failed(const Event& event) {
    if (known_to_be_over(event)) {
        static_cast<void>(event.state()->ready());
    }
    return event.state()->phase() == EventState::Phase::failed;
}
/// Also true if finish() could not determine which of several commands failed.
bool may_have_failed(const Event& event) {
    return (known_to_be_over(event) &&
            event.state()->queue().has_reported_failure(event.state()->sequence())) ||
           known_to_have_failed(event);
}

} // namespace

SpanState::SpanState(void* data, std::size_t size, unsigned count)
    : bytes(size),
      most_versions(count),
      forks(fork_count()),
      callers(static_cast<std::byte*>(data)),
      protected_pages(std::make_shared<ProtectedPages>(callers, size)) {
    auto version = std::make_unique<HostVersion>();
    version->data = callers;
    version->latest.add(all());
    host = version.get();
    versions.push_back(std::move(version));
}

void SpanState::order(Queue& queue, const SharePlace& place, ByteRange range, bool writes,
                      SourceLocation where) {
    const QueueState* const here = queue.handle().get();
    for (const PlaceUse& use : uses_) {
        if (use.queue != here && conflict(use, place, range, writes)) {
            queue.wait(use.event, where);
        }
    }
}

void SpanState::add_use(Queue& queue, const SharePlace& place, ByteRange range, bool writes,
                        const Event& event, bool brings) {
    const QueueState* const here = queue.handle().get();
    // A later command of a queue replaces its earlier ones.
    std::erase_if(uses_, [&](const PlaceUse& use) {
        return use.queue == here && use.place == &place && range.holds(use.range) && (writes || !use.writes);
    });
    if (uses_.size() >= prune_above) {
        prune();
    }
    uses_.push_back({&place, range, writes, event, here, brings});
}

// Bytes written by a failed command stay marked as failed until they are written again.
void SpanState::prune() {
    std::erase_if(uses_, [](const PlaceUse& use) {
        return use.event.ready() && !(use.writes && known_to_have_failed(use.event));
    });
}

void SpanState::take_back_failed(bool reported) {
    std::erase_if(uses_, [&](PlaceUse& use) {
        if (use.brings) {
            const bool failed = may_have_failed(use.event);
            if (failed) {
                take_back(use);
            }
            return failed;
        }
        use.reported = use.reported || (reported && known_to_have_failed(use.event));
        return use.reported && !use.writes;
    });
}

// A byte that a later command was to write there has no other place; the failure is attributed to that
// command.
void SpanState::take_back(const PlaceUse& use) {
    auto& place = const_cast<SharePlace&>(*use.place);
    const auto lies_in = [&](const SharePlace& other) {
        for (const ByteRange part :
             &other != &place ? other.latest.common(use.range) : std::vector<ByteRange>()) {
            place.latest.remove(part);
        }
    };
    lies_in(*host);
    for (const ShareState* const member : members) {
        lies_in(*member);
    }
}

void SpanState::forget_failures(ByteRange range) {
    std::erase_if(uses_, [&](const PlaceUse& use) {
        return range.holds(use.range) && (use.reported || use.place != host) &&
               known_to_have_failed(use.event);
    });
}

std::vector<Event> SpanState::events_before(const SharePlace& place, ByteRange range, bool writes,
                                            bool anew) const {
    std::vector<Event> events;
    for (const PlaceUse& use : uses_) {
        if (conflict(use, place, range, writes) && !(anew && use.reported && range.holds(use.range))) {
            events.push_back(use.event);
        }
    }
    return events;
}

std::vector<Event> SpanState::failed_writes(ByteRange range) const {
    std::vector<Event> events;
    for (const PlaceUse& use : uses_) {
        if (!use.writes || use.brings || use.place == host || !use.range.overlaps(range) ||
            !known_to_have_failed(use.event)) {
            continue;
        }
        const ByteRange both{std::max(use.range.begin, range.begin), std::min(use.range.end, range.end)};
        if (!use.place->latest.common(both).empty()) {
            events.push_back(use.event);
        }
    }
    return events;
}

bool SpanState::busy(const SharePlace& place) const {
    return std::any_of(uses_.begin(), uses_.end(),
                       [&](const PlaceUse& use) { return use.place == &place && !use.event.ready(); });
}

bool SpanState::being_written(const SharePlace& place) const {
    return std::any_of(uses_.begin(), uses_.end(), [&](const PlaceUse& use) {
        return use.place == &place && use.writes && !ended_well(use.event);
    });
}

void SpanState::forget(const SharePlace& place) {
    std::erase_if(uses_, [&](const PlaceUse& use) { return use.place == &place; });
}

void SpanState::written(const SharePlace& place, ByteRange range) {
    for (const auto& version : versions) {
        if (version.get() != &place) {
            version->latest.remove(range);
        } else {
            give_back(range);
        }
    }
    for (ShareState* member : members) {
        if (static_cast<const SharePlace*>(member) != &place) {
            member->latest.remove(range);
        }
    }
    const_cast<SharePlace&>(place).latest.add(range);
    for (Lost& lost : lost_) {
        lost.ranges.remove(range);
    }
    std::erase_if(lost_, [](const Lost& lost) { return lost.ranges.ranges().empty(); });
}

void SpanState::lose_what_only_it_has(const SharePlace& place, const Error& error, bool reported) {
    Lost lost{{}, error, reported};
    for (const ByteRange range : place.latest.ranges()) {
        for (const ByteRange part : host->latest.missing(range)) {
            lost.ranges.add(part);
        }
    }
    for (const ShareState* const member : members) {
        if (static_cast<const SharePlace*>(member) != &place) {
            for (const ByteRange range : member->latest.ranges()) {
                lost.ranges.remove(range);
            }
        }
    }
    if (!lost.ranges.ranges().empty()) {
        lost_.push_back(std::move(lost));
    }
}

std::optional<Error> SpanState::unreported_loss() {
    for (Lost& lost : lost_) {
        if (!std::exchange(lost.reported, true)) {
            return lost.error;
        }
    }
    return std::nullopt;
}

void SpanState::check_lost(ByteRange range, SourceLocation where) const {
    for (const Lost& lost : lost_) {
        if (!lost.ranges.common(range).empty()) {
            throw lost.error.with_where(where);
        }
    }
}

void SpanState::bring_to_host(ByteRange range, Queue* preferred, SourceLocation where) {
    check_lost(range, where);
    for (const ByteRange wanted : host->latest.missing(range)) {
        for (ShareState* member : members) {
            for (const ByteRange part : member->latest.common(wanted)) {
                if (host->latest.holds(part)) {
                    continue;
                }
                const bool usable =
                    preferred != nullptr && &preferred->state(where).device() == &member->device;
                Queue& queue = usable ? *preferred : member->queue(where);
                order(queue, *member, part, false, where);
                order(queue, *host, part, true, where);
                give_back(part);
                drop_digests(part);
                member->copy_down(queue, part, where);
                const Event event = queue.record(where);
                add_use(queue, *member, part, false, event);
                add_use(queue, *host, part, true, event, true);
                host->latest.add(part);
            }
        }
    }
}

void SpanState::bring_to_device(ShareState& member, ByteRange range, Queue& queue, SourceLocation where) {
    if (member.in_place) {
        bring_to_host(range, &queue, where);
        return;
    }
    for (const ByteRange part : member.latest.missing(range)) {
        bring_to_host(part, &queue, where);
        order(queue, *host, part, false, where);
        order(queue, member, part, true, where);
        member.copy_up(queue, part, where);
        const Event event = queue.record(where);
        add_use(queue, *host, part, false, event);
        add_use(queue, member, part, true, event, true);
        member.latest.add(part);
    }
}

void SpanState::check_guards(ByteRange range, bool writes, SourceLocation where) const {
    for (const OpenGuard& guard : guards) {
        if (guard.range.overlaps(range) && (writes || guard.writes)) {
            throw Error(Code::invalid_state,
                        "Bytes " + std::to_string(range.begin) + " to " + std::to_string(range.end) +
                            " of the shared memory " + describe_range(caller(), bytes) + " cannot be " +
                            (writes ? "written" : "read") + " while the host has a guard for " +
                            (guard.writes ? "writing" : "reading") + " bytes " +
                            std::to_string(guard.range.begin) + " to " + std::to_string(guard.range.end) +
                            "; end that guard first",
                        where);
        }
    }
}

void SpanState::record_digests() {
    if (!race::enabled()) {
        return;
    }
    check_mapped({});
    if (!changed_) {
        changed_ = digests_.changed(host->data);
    }
    if (digests_.pieces() >
        2 * (bytes / ByteDigests::block) + 64) { // Guards of many small parts have left fragments.
        digests_.clear();
    }
    prune();
    RangeSet still(all());
    for (const PlaceUse& use : uses_) {
        if (use.place == host && use.writes) {
            still.remove(use.range);
        }
    }
    for (const OpenGuard& guard : guards) {
        if (guard.writes) {
            still.remove(guard.range);
        }
    }
    const RangeSet gone = protected_pages->ranges(); // A write there faults.
    for (const ByteRange range : gone.ranges()) {
        still.remove(range);
    }
    for (const ByteRange range : still.ranges()) {
        digests_.add(host->data, range);
    }
}

void SpanState::drop_digests(ByteRange range) {
    if (race::enabled()) {
        digests_.cut(host->data, range);
    }
}

void SpanState::protect_pages(Queue& queue, ByteRange range, const std::string& kernel,
                              const Event& written) noexcept {
    // With several versions the caller's bytes may be old for other reasons. The driver of a member with an
    // import may use all of the pages.
    if (most_versions > 1 || joining != 0 ||
        std::any_of(members.begin(), members.end(), [](const ShareState* member) {
            return member->in_place || member->locked.memory != nullptr;
        })) {
        return;
    }
    try {
        drop_digests(range);
        protected_pages->expect(queue, range, kernel, written, events_before(*host, range, true), {});
    } catch (const std::exception&) { // A lost device, or out of memory: the enqueued commands are valid
                                      // without it.
        give_back(range);
    }
}

void SpanState::give_back(ByteRange range) noexcept {
    protected_pages->give_back(range);
}

void SpanState::check_mapped(SourceLocation where) const {
    if (!race::enabled()) {
        return;
    }
    if (const std::string buffer = freed_beneath.text(); !buffer.empty()) {
        throw Error(Code::invalid_state,
                    "The shared memory " + describe_range(caller(), bytes) + " was freed too early: " +
                        buffer + ", which has been destroyed; end the share before that",
                    where);
    }
    check_still_mapped("The shared memory", caller(), bytes, where);
}

void SpanState::check_digests(SourceLocation where) {
    check_mapped(where);
    if (protected_pages->has_poison()) {
        check_still_mapped("The shared memory", caller(), bytes, where);
        if (const auto change = protected_pages->changed()) {
            throw Error(Code::invalid_state,
                        "The shared memory " + describe_range(caller(), bytes) +
                            " was changed by the host without a guard for writing, within bytes " +
                            std::to_string(change->range.begin) + " to " + std::to_string(change->range.end) +
                            ", after the launch of kernel '" + change->kernel +
                            "' that wrote later bytes on the device; write to it through Shared::host()",
                        where);
        }
    }
    if (!race::enabled()) {
        return;
    }
    const std::optional<ByteRange> found = changed_ ? changed_ : digests_.changed(host->data);
    changed_.reset(); // Reported once.
    if (found) {
        throw Error(Code::invalid_state,
                    "The shared memory " + describe_range(host->data, bytes) +
                        " was changed by the host without a guard for writing, within bytes " +
                        std::to_string(found->begin) + " to " + std::to_string(found->end) +
                        " (or by a command that was given the memory past the share, or to read); write to "
                        "it through Shared::host()",
                    where);
    }
}

} // namespace ferry::detail
