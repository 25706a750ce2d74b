// SPDX-License-Identifier: Apache-2.0
// The beginning and the end of a share.
#include "base/process_exit.hpp"
#include "base/process_maps.hpp"
#include "base/text.hpp"
#include "measure/device_knowledge.hpp"
#include "memory/device_pool.hpp"
#include "memory/known_memory.hpp"
#include "share/import.hpp"
#include "share/placement_defaults.hpp"
#include "share/share_state.hpp"
#include "system/no_cancellation.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <string>
#include <utility>

namespace ferry::detail {
namespace {

constexpr const char* what = "The memory to share";
constexpr unsigned most_versions = 16;

void check_options(const ShareOptions& options, SourceLocation where) {
    if (options.allowed.empty()) {
        throw Error(Code::invalid_argument, "A share needs at least one allowed placement, none was given",
                    where);
    }
    if (!(options.passes > 0) || !std::isfinite(options.passes)) {
        throw Error(Code::invalid_argument,
                    "A share cannot be for " + std::to_string(options.passes) +
                        " passes of the device; it takes a number above 0",
                    where);
    }
    if (options.versions == 0 || options.versions > most_versions) {
        throw Error(Code::invalid_argument,
                    "A share cannot keep " + std::to_string(options.versions) + " versions; it takes 1 to " +
                        std::to_string(most_versions),
                    where);
    }
}

bool is_in_place(Placement placement) {
    return placement == Placement::alias || placement == Placement::link || placement == Placement::migrate;
}

// The driver is queried for free memory only for large requests, because the query is slow. Memory kept in
// the pool is in use for the driver, but available for Ferry.
std::optional<std::size_t> room_on(DeviceState& device, std::size_t bytes, SourceLocation where) {
    if (bytes <= device.info().total_memory / 16) {
        return std::nullopt;
    }
    const PoolUse pool = device.pool().use(MemoryKind::device);
    const std::optional<std::uint64_t> free = Device(device).memory(where).free;
    return free ? std::optional(*free + pool.reserved - pool.used) : std::nullopt;
}

placement::Facts facts_of(DeviceState& device, const ShareRequest& request, std::size_t bytes,
                          const PageFacts& pages, SourceLocation where) {
    placement::Facts facts;
    facts.device = device.id();
    facts.reach = device.native().import_reach();
    // Known facts about the device can only lower the capabilities of its backend.
    const MemoryCapabilities known = known_capabilities(device, MemoryKind::imported, where);
    facts.locks = facts.reach == placement::Reach::link;
    facts.processor = device.info().kind == DeviceKind::cpu;
    const bool wrong = known.reach.value == Reach::none;
    if (!known.available || wrong) {
        facts.reach = placement::Reach::none;
    } else if (known.reach.value == Reach::copy) {
        facts.reach = std::min(facts.reach, placement::Reach::copy);
    }
    facts.costs =
        placement::default_costs(device.info(), facts.reach, known.coherence.value == Coherence::map);
    facts.measured = known_cost_model(device, where);
    facts.free_memory = room_on(device, bytes, where);
    if (facts.reach == placement::Reach::none) {
        const bool ended = known.reach.confidence == Confidence::unknown;
        facts.no_import =
            !known.available ? known.why_not
            : wrong && ended ? "whether it works in place could not be found out (" + known.reach.source + ")"
            : wrong          ? "in place, the bytes were not right (" + known.reach.source + ")"
                             : facts.device + " has no access to memory that Ferry did not allocate";
    } else if (pages.stack) {
        facts.no_import = "the memory is on a thread's stack";
    } else if (!pages.writable && request.access != Access::device_reads) {
        facts.no_import = "the pages are read-only";
    }
    facts.page_locked = staging::is_page_locked(device, request.data, bytes);
    return facts;
}

/// Carries out one placement. Returns false, with the reason, if it is not possible.
bool take(ShareState& state, Placement placement, std::size_t bytes, bool read_only, bool page_locked,
          std::string& why, SourceLocation where) {
    state.in_place = is_in_place(placement);
    try {
        if (state.in_place || (placement == Placement::copy && !page_locked)) {
            const VendorCall call;
            call.check(where);
            ImportedRange range =
                import_checked(state.device, state.span->caller(), bytes, read_only, why, where);
            if (range.memory == nullptr) {
                return false;
            }
            if (state.in_place) {
                state.memory = std::move(range.memory);
                state.offset = range.offset;
                return true;
            }
            state.locked = std::move(range);
        }
        state.memory = allocate(Device(state.device), bytes, 1, MemoryKind::device, where);
        return true;
    } catch (const Error& error) {
        if (error.code() == Code::device_lost) {
            throw;
        }
        state.locked = {};
        why = error.what();
        return false;
    }
}

/// While a driver may access all of the memory, no page of it is protected.
class Joining {
public:
    explicit Joining(SpanState& span) : span_(span) {
        const std::lock_guard lock(span_.mutex);
        ++span_.joining;
        span_.give_back(span_.all());
    }
    Joining(const Joining&) = delete;
    Joining& operator=(const Joining&) = delete;
    ~Joining() {
        const std::lock_guard lock(span_.mutex);
        --span_.joining;
    }

private:
    SpanState& span_;
};

} // namespace

ShareHandle share(const Device& device, const ShareRequest& request, const ShareOptions& options,
                  SourceLocation where) {
    DeviceState& state = device.state();
    const std::size_t bytes = check_extent(what, request.data, request.count, request.element, where);
    check_options(options, where);
    state.check_alive(where);
    const PageFacts pages =
        check_pages(what, request.data, bytes, request.access != Access::device_reads, where);
    trace::start(where);
    const trace::Span traced("share", where);
    const NoCancellation not_cancelled;
    const VendorCall call;
    call.check(where);

    const placement::Facts facts = facts_of(state, request, bytes, pages, where);
    std::vector<placement::Option> ranked =
        placement::rank(facts, {request.access, bytes, options.passes, options.pattern});
    const std::shared_ptr<SpanState> span =
        join_span(const_cast<void*>(request.data), bytes, options.versions, where);
    const Joining joining(*span);
    auto made =
        std::make_shared<ShareState>(state, request.access, request.constant || !pages.writable, span);
    Explanation& explanation = made->explanation;
    const placement::Option* taken = nullptr;
    for (placement::Option& option : ranked) {
        if (option.why_not.empty() && !options.allowed.has(option.placement)) {
            option.why_not =
                "not allowed by the caller, " + placement::in_time(option.seconds) + " predicted";
            option.refused = true;
        }
        if (taken == nullptr && option.why_not.empty()) {
            if (take(*made, option.placement, bytes, !pages.writable, facts.page_locked, option.why_not,
                     where)) {
                taken = &option;
            }
        }
    }
    if (taken == nullptr) {
        std::string reasons;
        for (const placement::Option& option : ranked) {
            if (options.allowed.has(option.placement)) {
                reasons += (reasons.empty() ? "" : "; ") + std::string(to_string(option.placement)) + ": " +
                           option.why_not;
            }
        }
        throw Error(Code::unsupported,
                    what + (" " + describe_range(request.data, bytes)) + " cannot be shared with " +
                        state.describe() + " in any of the ways allowed: " + reasons,
                    where);
    }
    explanation.taken = taken->placement;
    explanation.why = placement::why_taken(facts, *taken);
    explanation.predicted_seconds = taken->seconds;
    explanation.measured = taken->measured;
    explanation.built_in_seconds = taken->built_in;
    for (const placement::Option& option : ranked) {
        if (&option != taken) {
            const bool possible = option.why_not.empty() || option.refused;
            explanation.rejected.push_back({option.placement, placement::why_rejected(option, *taken),
                                            possible ? option.seconds : 0, possible && option.measured,
                                            possible ? option.built_in : 0,
                                            option.why_not.empty() && option.seconds > taken->seconds});
        }
    }
    const DeviceInfo& info = state.info();
    const bool is_opencl = info.backend == Backend::opencl;
    const bool is_cpu = info.kind == DeviceKind::cpu;
    constexpr std::size_t large = std::size_t{4} << 20; // Below this size it was a tenth.
    explanation.hints = placement::hints(facts,
                                         {.address = reinterpret_cast<std::uintptr_t>(request.data),
                                          .stack = pages.stack,
                                          .wants_pages = is_opencl && !is_cpu,
                                          .wants_lines = is_opencl && is_cpu && bytes >= large},
                                         taken->placement);
    if (const auto better = placement::hint_to_allow(ranked, *taken); !better.empty()) {
        explanation.hints.push_back(better);
    }
    if (const auto measure = placement::hint_to_measure(facts, *taken); !measure.empty()) {
        explanation.hints.push_back(measure);
    }

    const std::lock_guard lock(span->mutex);
    span->check_digests(where);
    span->record_digests(); // May throw; does not access the members.
    span->members.push_back(made.get());
    return made;
}

namespace {

void detach(ShareState& state) {
    state.span->give_back(state.span->all());
    std::erase(state.span->members, &state);
    state.span->forget(state);
    state.latest = {};
}

/// Transfers the bytes that only the device has to the host; nothing of this share is in use when it returns.
/// Returns the first error. `tells`: the program receives it.
std::optional<Error> bring_back(ShareState& state, SourceLocation where, bool tells) {
    const NoCancellation not_cancelled;
    SpanState& span = *state.span;
    std::optional<Error> failed;
    const auto attempt = [&](auto&& step) {
        try {
            step();
        } catch (const Error& error) {
            if (!failed) {
                failed = error;
            }
        }
    };
    std::vector<Event> events;
    bool gone = false; // The caller's memory no longer exists, so there is no destination.
    {
        const std::lock_guard lock(span.mutex);
        attempt([&] {
            gone = true;
            span.check_mapped(where);
            gone = false;
            span.check_digests(where);
        });
        attempt([&] {
            if (gone) {
                return;
            }
            span.take_back_failed();
            for (const ByteRange range : std::vector(state.latest.ranges())) {
                span.bring_to_host(range, nullptr, where);
            }
        });
        for (const auto& version : span.versions) {
            const auto uses = span.events_before(*version, span.all(), true);
            events.insert(events.end(), uses.begin(), uses.end());
        }
        const auto uses = span.events_before(state, span.all(), true);
        events.insert(events.end(), uses.begin(), uses.end());
    }
    for (const Event& event : events) {
        attempt([&] { event.wait(where); });
    }
    const std::lock_guard lock(span.mutex);
    if (gone) {
        detach(state);
        return failed;
    }
    if (failed) {
        span.take_back_failed();
        span.lose_what_only_it_has(state, *failed, tells);
    } else if (tells) {
        failed = span.unreported_loss();
    }
    if (span.host != span.versions.front().get()) {
        HostVersion& first = *span.versions.front();
        std::copy_n(span.host->data, span.bytes, first.data);
        first.latest = span.host->latest;
        span.host = &first;
    }
    detach(state);
    span.record_digests();
    return failed;
}

} // namespace

void end_share(ShareHandle& handle, SourceLocation where) {
    if (handle == nullptr) {
        return;
    }
    std::optional<Error> lost;
    try {
        handle->check_usable(where);
    } catch (const Error& error) {
        if (error.code() != Code::device_lost) {
            throw;
        }
        lost = error; // It ends nevertheless: from here on the memory belongs to the caller alone.
    }
    handle->check_no_guard(where);
    const ShareHandle state = std::exchange(handle, nullptr);
    const std::optional<Error> failed = bring_back(*state, where, true);
    if (lost || failed) {
        throw(lost ? *lost : *failed).with_where(where);
    }
}

void drop_share(ShareHandle& handle) noexcept {
    if (handle == nullptr) {
        return;
    }
    ShareHandle state = std::exchange(handle, nullptr);
    if (backend::process_is_exiting() || state->span->forks != fork_count()) {
        abandon(state);
        return;
    }
    try {
        static_cast<void>(bring_back(*state, {}, false));
    } catch (const std::exception&) { // The queue's finish() reports the errors of the device.
    }
}

} // namespace ferry::detail
