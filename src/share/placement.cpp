// SPDX-License-Identifier: Apache-2.0
#include "share/placement.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <array>

namespace ferry::detail::placement {
namespace {

constexpr double touched_when_sparse = 0.01;
constexpr double line = 32; ///< Bytes that cross a bus for one access.
// A bus transfers both directions at once: 16 MiB of an H100's host memory were read in 421 us, written in
// 397 and updated in 478.
constexpr double both_directions = 1.2;

struct Model {
    const Facts& facts;
    const Intent& intent;
    double bytes = static_cast<double>(intent.bytes);
    bool reads = intent.access != Access::device_writes;
    bool writes = intent.access != Access::device_reads;

    double touched() const {
        switch (intent.pattern) {
        case Pattern::sparse:
            return std::min(bytes, bytes * touched_when_sparse * (line / 4));
        case Pattern::random:
            return bytes * facts.costs.link_random;
        default:
            return bytes;
        }
    }
    double kernel_in_place() const {
        const Costs& c = facts.costs;
        const double in = reads ? touched() / c.link_read : 0;
        const double out = writes ? touched() / c.link_write : 0;
        const double bus = std::max(in, out) * (reads && writes ? both_directions : 1);
        return c.in_place_command +
               intent.passes * (c.in_place_launch + (facts.reach == Reach::link ? bus : in + out));
    }
    double kernel_on_device() const {
        const double directions = (reads ? 1 : 0) + (writes ? 1 : 0);
        const double part = intent.pattern == Pattern::sparse ? touched_when_sparse : 1;
        return intent.passes * directions * part * bytes / facts.costs.device_memory;
    }
    double lock() const {
        return facts.page_locked ? 0 : facts.costs.lock_fixed + bytes / facts.costs.lock_bytes;
    }
    double copies(double up, double down) const {
        const Costs& c = facts.costs;
        const double allocate = c.allocate_fixed + bytes / c.allocate_bytes;
        return allocate + (reads ? c.command + bytes / up : 0) +
               (writes ? c.command + c.wait + bytes / down : 0) + kernel_on_device();
    }

    Option alias() const {
        Option o{Placement::alias, kernel_in_place() + (facts.locks ? lock() : 0), facts.no_import};
        if (o.why_not.empty() && facts.reach != Reach::local) {
            o.why_not = facts.device + " has memory of its own";
        }
        return o;
    }
    Option link() const {
        Option o{Placement::link, kernel_in_place() + lock(), facts.no_import};
        if (o.why_not.empty() && facts.reach != Reach::link) {
            o.why_not = facts.reach == Reach::local
                            ? facts.device + " has the host's memory, and no bus to it"
                        : facts.reach == Reach::copy
                            ? "the driver of " + facts.device + " copies such memory behind the caller's back"
                            : facts.device + " reaches no memory of the host's";
        }
        return o;
    }
    Option migrate() const {
        Option o{Placement::migrate,
                 touched() / facts.costs.fault_bytes + kernel_on_device() +
                     (writes ? touched() / facts.costs.fault_bytes : 0),
                 facts.no_import};
        if (o.why_not.empty() && facts.reach != Reach::migrates) {
            o.why_not = "ordinary memory does not migrate to " + facts.device;
        }
        return o;
    }
    std::string no_room() const {
        return facts.free_memory && *facts.free_memory < intent.bytes
                   ? facts.device + " has room for " + std::to_string(*facts.free_memory) + " bytes of " +
                         std::to_string(intent.bytes)
                   : std::string();
    }
    Option copy() const {
        const Costs& c = facts.costs;
        Option o{Placement::copy, lock() + copies(c.pinned_up, c.pinned_down), no_room()};
        if (o.why_not.empty() && !facts.page_locked && !facts.locks) {
            o.why_not = facts.reach == Reach::local ? facts.device + " copies ordinary memory as fast"
                                                    : "the memory is not page-locked and cannot be";
        }
        if (o.why_not.empty() && !facts.page_locked) {
            o.why_not = facts.no_import;
        }
        return o;
    }
    Option stage() const {
        const Costs& c = facts.costs;
        const bool staged = bytes > c.staged_above;
        return {Placement::stage,
                copies(staged ? c.staged_up : c.pageable_up, staged ? c.staged_down : c.pageable_down),
                no_room()};
    }
};

// A kernel on memory of the device's side reads whole lines for sparse accesses.
constexpr double sparse_at_home = 0.2;

// Bytes/s of one thread, for memory too large for the caches. Smaller memory is copied faster, so there this
// favours alias.
constexpr double fastest_copy = 20e9;

const RoundCosts& costs_of(const Facts& facts, Placement placement) {
    const auto of = [&facts](Placement one) -> const RoundCosts& {
        const auto index = static_cast<std::size_t>(one);
        const RoundCosts& locked = facts.measured->page_locked[index];
        return facts.page_locked && locked.known() ? locked : facts.measured->ordinary[index];
    };
    // A copy can be measured only on a device on a bus. On other devices it is equal to a staged one; a guess
    // compared with measurements could win only because it is a guess.
    return placement == Placement::copy && !of(placement).known() ? of(Placement::stage) : of(placement);
}

/// The time of one more kernel, or of one kernel less if the pattern amounts to that.
double one_kernel(const Facts& facts, const Intent& intent, Placement placement, bool less) {
    const auto of = [&](Placement measured) {
        const RoundCosts& costs = costs_of(facts, measured);
        const Curve& again = intent.access == Access::device_reads ? costs.read_again : costs.update_again;
        return again.known() ? again.at(static_cast<double>(intent.bytes)) : 0;
    };
    const auto lesser_known = [&](Placement one, Placement other) {
        const double first = of(one);
        const double second = of(other);
        return first == 0 ? second : second == 0 ? first : std::min(first, second);
    };
    // On the same memory kernels have one speed, and measured differences are noise, which must not
    // distinguish placements.
    if (less && facts.reach == Reach::local && costs_of(facts, Placement::alias).known()) {
        return lesser_known(Placement::alias, Placement::stage);
    }
    return placement == Placement::copy || placement == Placement::stage
               ? lesser_known(Placement::copy, Placement::stage)
               : of(placement);
}

const Curve& round_of(const RoundCosts& costs, Access access) {
    return access == Access::device_reads     ? costs.reads
           : access == Access::device_updates ? costs.updates
                                              : costs.writes;
}

/// Uses measured rounds of exactly this pattern, plus the extra cost of writing in a round without its
/// kernel.
std::optional<double> measured_pattern(const Facts& facts, const Intent& intent, Placement placement) {
    const RoundCosts& costs = costs_of(facts, placement);
    const Curve& pattern = intent.pattern == Pattern::sparse ? costs.sparse_reads : costs.random_reads;
    const double bytes = static_cast<double>(intent.bytes);
    if (intent.pattern == Pattern::sequential || !pattern.reaches(bytes)) {
        return std::nullopt;
    }
    const auto rest_of = [&](Access access) { // A round without its kernel.
        Intent sequential = intent;
        sequential.access = access;
        return round_of(costs, access).at(bytes) - one_kernel(facts, sequential, placement, true);
    };
    const double round = pattern.at(bytes);
    const double reads = rest_of(Access::device_reads);
    const double kernel = std::clamp(round - reads, round / 100, round);
    const double more = std::max(rest_of(intent.access) - reads, 0.0);
    return std::max(round + more + (intent.passes - 1) * kernel, round / 100);
}

/// One measured round, with more kernels or other ones.
std::optional<double> measured(const Facts& facts, const Intent& intent, Placement placement) {
    if (facts.measured == nullptr || !facts.measured->known() || !costs_of(facts, placement).known()) {
        return std::nullopt;
    }
    if (const std::optional<double> found = measured_pattern(facts, intent, placement)) {
        return found;
    }
    const RoundCosts& costs = costs_of(facts, placement);
    const Curve& round = round_of(costs, intent.access);
    const bool link = placement == Placement::link;
    const double one = intent.pattern == Pattern::sparse   ? (link ? costs.sparse : sparse_at_home)
                       : intent.pattern == Pattern::random ? (link ? costs.random : 1)
                                                           : 1;
    const double more = intent.passes * one - 1;
    const double bytes = static_cast<double>(intent.bytes);
    const double first = round.at(bytes);
    const double kernel = one_kernel(facts, intent, placement, more < 0);
    // A round without its kernels takes at least a hundredth of it.
    const double rest = std::max(first + more * kernel, first / 100);
    if (more >= 0 || facts.reach != Reach::local || !facts.processor) {
        return rest;
    }
    // A large round without most of its kernel is mostly noise. A processor's share in place costs the same
    // for any size, and copies take their time.
    const double kernels = intent.passes * one * kernel;
    if (placement == Placement::alias) {
        return std::min(rest, round.seconds[0] + kernels);
    }
    const double directions =
        (intent.access != Access::device_writes ? 1 : 0) + (intent.access != Access::device_reads ? 1 : 0);
    return std::max(rest, directions * bytes / fastest_copy + kernels);
}

// Bytes from which latencies no longer matter.
constexpr std::size_t large = std::size_t{16} << 20;

/// If both sides use the same memory, a large copy and the kernel cannot take less time than the kernel
/// alone. A smaller measurement was disturbed, or came from pages and cache lines that the caller's memory
/// need not have.
void add_copies_to_kernels(const Facts& facts, const Intent& intent, std::vector<Option>& options) {
    if (!facts.processor || facts.reach != Reach::local || intent.bytes < large) {
        return;
    }
    const auto alias = std::find_if(options.begin(), options.end(),
                                    [](const Option& o) { return o.placement == Placement::alias; });
    if (!alias->why_not.empty()) {
        return;
    }
    const double directions =
        (intent.access != Access::device_writes ? 1 : 0) + (intent.access != Access::device_reads ? 1 : 0);
    const double least = alias->seconds + directions * static_cast<double>(intent.bytes) / fastest_copy;
    for (Option& option : options) {
        if (option.placement == Placement::copy || option.placement == Placement::stage) {
            option.seconds = std::max(option.seconds, least);
        }
    }
}

int surprises(Placement placement) {
    constexpr std::array<int, 5> order{0, 3, 4, 1, 2};
    return order[static_cast<std::size_t>(placement)];
}

} // namespace

double enough(const Option& best) {
    return best.seconds * 1.02 + 1e-6;
}

std::vector<Option> rank(const Facts& facts, const Intent& intent) {
    const Model model{facts, intent};
    std::vector<Option> options{model.alias(), model.link(), model.migrate(), model.copy(), model.stage()};
    for (Option& option : options) {
        option.built_in = option.seconds;
        if (const std::optional<double> seconds = measured(facts, intent, option.placement)) {
            option.seconds = *seconds;
            option.measured = true;
        }
    }
    add_copies_to_kernels(facts, intent, options);
    for (Option& option : options) {
        // Without a measurement there is one prediction, which may depend on measurements of another option.
        option.built_in = option.measured ? option.built_in : option.seconds;
    }
    std::stable_sort(options.begin(), options.end(), [](const Option& a, const Option& b) {
        return a.why_not.empty() != b.why_not.empty() ? a.why_not.empty() : a.seconds < b.seconds;
    });
    if (options.front().why_not.empty()) {
        const double limit = enough(options.front());
        auto best = options.begin();
        for (auto o = options.begin(); o != options.end() && o->why_not.empty() && o->seconds <= limit; ++o) {
            if (surprises(o->placement) < surprises(best->placement)) {
                best = o;
            }
        }
        std::rotate(options.begin(), best, best + 1);
    }
    return options;
}

std::string in_time(double seconds) {
    if (seconds < 1e-3) {
        return decimal(seconds * 1e6, 1) + " us";
    }
    if (seconds < 1) {
        return decimal(seconds * 1e3, 2) + " ms";
    }
    return (seconds < 1e6 ? decimal(seconds, 2) : significant(seconds, 3)) + " s";
}

} // namespace ferry::detail::placement
