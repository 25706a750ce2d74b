// SPDX-License-Identifier: Apache-2.0
// A launch with shared arguments: transfers their data, enqueues the launch, and notes the uses.
#include "queue/launch.hpp"

#include "base/process_maps.hpp"
#include "check/race.hpp"
#include "program/kernel_state.hpp"
#include "queue/queue_state.hpp"
#include "queue/race_notes.hpp"
#include "share/share_checks.hpp"
#include "share/share_state.hpp"

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

namespace ferry {
namespace {

using detail::ByteRange;
using detail::ShareState;
using detail::ShareUse;
using detail::SpanState;

/// The spans of a launch, locked in the same order by all threads.
class LockedSpans {
public:
    explicit LockedSpans(std::span<const ShareUse> uses) {
        for (const ShareUse& use : uses) {
            if (use.state != nullptr) {
                spans_.push_back(use.state->span.get());
            }
        }
        std::sort(spans_.begin(), spans_.end());
        spans_.erase(std::unique(spans_.begin(), spans_.end()), spans_.end());
        for (SpanState* span : spans_) {
            locks_.emplace_back(span->mutex);
        }
    }

private:
    std::vector<SpanState*> spans_;
    std::vector<std::unique_lock<std::mutex>> locks_;
};

ByteRange range_of(const ShareUse& use) {
    return {use.offset, use.offset + use.bytes};
}

void check(const ShareState& state, const detail::QueueState& queue, SourceLocation where) {
    state.check_usable(where);
    if (&state.device != &queue.device()) {
        throw Error(Code::invalid_argument,
                    "The memory " + detail::describe_range(state.span->caller(), state.span->bytes) +
                        " is shared with " + state.device.describe() + ", but the queue is on " +
                        queue.device().describe() + "; share it with that device too",
                    where);
    }
}

} // namespace

void detail::launch(Queue& queue, const LaunchSite& site, const Grid& grid, std::span<Argument> args,
                    std::span<const ShareUse> uses) {
    const SourceLocation where = site.where;
    const QueueState& here = queue.state(where);
    if (site.kernel.state() != nullptr) {
        site.kernel.state()->check_count(args.size(), where);
    }
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (uses[i].shared && uses[i].state == nullptr) {
            throw Error(Code::invalid_state,
                        "Argument " + std::to_string(i) +
                            " is an empty share: it was moved from, ended or never made",
                        where);
        }
        if (uses[i].state != nullptr) {
            check(*uses[i].state, here, where);
        }
    }
    if (here.race() != race::host && site.kernel.state() != nullptr) [[unlikely]] {
        race::check_direct_use(here, LaunchCommand{{where}, &site.kernel.state(), grid, args, {}}, uses);
    }
    const LockedSpans locked(uses);
    for (const ShareUse& use : uses) {
        if (use.state != nullptr) {
            if (use.bytes != 0) {
                use.state->span->check_guards(range_of(use), use.state->writes(), where);
            }
            use.state->span->check_digests(where);
            use.state->span->take_back_failed();
        }
    }
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (uses[i].state == nullptr || uses[i].bytes == 0) {
            continue;
        }
        ShareState& shared = *uses[i].state;
        const ByteRange range = range_of(uses[i]);
        if (shared.reads()) {
            shared.span->bring_to_device(shared, range, queue, where);
        }
        if (shared.in_place) { // Another device has protected pages that this one is about to write to.
            shared.span->give_back(range);
        }
        shared.span->order(queue, shared.place(), range, shared.writes(), where);
        args[i].region = shared.region(range);
        args[i].constant = !shared.writes();
    }
    {
        const OwnCommand own;
        launch(queue, site, grid, std::span<const Argument>(args));
    }
    const Event event = queue.record(where);
    for (const ShareUse& use : uses) {
        if (use.state == nullptr || use.bytes == 0) {
            continue;
        }
        SpanState& span = *use.state->span;
        SharePlace& place = use.state->place();
        span.add_use(queue, place, range_of(use), use.state->writes(), event);
        if (use.state->writes()) {
            span.written(place, range_of(use));
            if (use.state->in_place) {
                span.drop_digests(range_of(use));
            }
        }
    }
    if (here.device().native().mistake_hooks() == nullptr) {
        return;
    }
    for (const ShareUse& use : uses) { // After all uses are noted.
        if (use.state != nullptr && use.bytes != 0 && use.state->writes() && !use.state->in_place) {
            use.state->span->protect_pages(queue, range_of(use), site.kernel.name(where), event);
        }
    }
}

void Queue::launch_shared(const detail::LaunchSite& site, const Grid& grid, std::span<detail::Argument> args,
                          std::span<const ShareUse> uses) {
    detail::launch(*this, site, grid, args, uses);
}

} // namespace ferry
