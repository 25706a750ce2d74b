// SPDX-License-Identifier: Apache-2.0
#include "device/device_state.hpp"
#include "knowledge/placement_costs.hpp"
#include "measure/own_pages.hpp"
#include "measure/session.hpp"
#include "staging/slots.hpp"

#include <ferry/share.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace ferry::detail {
namespace {

using memory_tests::OwnPages;
using memory_tests::Session;
using Words = std::span<std::uint32_t>;

constexpr std::array<int, Curve::sizes.size()> runs{5, 4, 4, 3, 2, 2, 1};
// Factor of additional runs if there is time after all sizes, because a few runs can all be disturbed.
constexpr int more_runs = 3;
constexpr double part_for_more = 0.1; // Part of the remaining time, for each size.
constexpr double longest_more = 1;    // Seconds for all additional runs.
// Kernels in a round that measures "again"; single small ones are hidden by noise.
constexpr std::array<int, Curve::sizes.size()> repeated{9, 9, 9, 9, 3, 3, 3};
// Bytes up to which patterns are measured. If both sides use the same memory, a larger sparse use is far
// faster in place, and a random one is like a sequential one, so only the copy matters.
constexpr std::size_t largest_pattern = std::size_t{1} << 20;

constexpr std::size_t largest_touched = std::size_t{16} << 20; ///< Over a bus.

/// One measurement at each size.
struct Case {
    Placement placement{};
    bool locked = false;
    Access access{};
    int kernels = 1; ///< Number of sequential kernels; 0 for a single kernel with a pattern.
    Curve RoundCosts::*curve = nullptr;
    Pattern pattern = Pattern::sequential;
    std::array<std::vector<double>, Curve::sizes.size()> times{}; ///< Seconds of each run.

    /// The first quartile. Longer runs were disturbed. The shortest run is not typical: of a hundred rounds
    /// on PoCL a few take half of the usual time, rounds in place more often than rounds with copies.
    double typical(std::size_t index) const {
        std::vector<double> sorted = times[index];
        const auto quartile = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 4);
        std::nth_element(sorted.begin(), quartile, sorted.end());
        return *quartile;
    }
};

class Rounds {
public:
    Rounds(Session& session, const CostModel& before)
        : session_(session), before_(before), first_(before.sizes()) {
        const backend::ImportReach reach = session.device.state().native().import_reach();
        const bool link = reach == backend::ImportReach::link;
        is_local_ = reach == backend::ImportReach::local;
        // The alignment of large allocations of malloc(). On processors, kernels on such memory took up to
        // half as long again as on memory aligned to a cache line, and vectors have this alignment.
        const auto facts = session.device.capabilities(MemoryKind::imported, Probe::declared);
        if (constexpr std::size_t behind_header = 16;
            is_local_ && facts.available && facts.pointer_alignment.value <= behind_header) {
            begin_ = behind_header;
        }
        const OwnPages probe(Curve::sizes.front(), begin_);
        for (std::size_t i = 0; i < CostModel::placements; ++i) {
            add(static_cast<Placement>(i), false, probe.span());
        }
        if (link && session.device.has(MemoryKind::host)) {
            Buffer<std::uint32_t> locked(session.device, 1024, MemoryKind::host);
            for (const Placement placement : {Placement::link, Placement::copy, Placement::stage}) {
                add(placement, true, locked.span());
            }
        }
    }

    /// Runs all cases of this size in turn, so that a disturbance affects all of them. Throws Error
    /// (out_of_memory) if memory cannot be allocated.
    void measure(std::size_t index) {
        Data data = data_of(index);
        for (int run = 0; run < runs[index] && (run == 0 || session_.time_left()); ++run) {
            run_all(index, data);
        }
        for (const Case& one : cases_) {
            patterns(one, data.words(one), index);
        }
    }
    /// Runs them again, for a part of the time until `least_left` seconds are left. Throws the same errors.
    void measure_more(std::size_t index, double least_left) {
        Data data = data_of(index);
        least_left += (session_.seconds_left() - least_left) * (1 - part_for_more);
        for (int run = 0; run < runs[index] * more_runs && session_.seconds_left() > least_left; ++run) {
            run_all(index, data);
        }
    }

    void forget(std::size_t index) {
        for (Case& one : cases_) {
            one.times[index].clear();
        }
    }

    CostModel found() const {
        CostModel all = before_;
        // In this order, because again() needs the costs of single kernels.
        for (const bool is_again : {false, true}) {
            for (const Case& one : cases_) {
                if ((one.kernels > 1) != is_again) {
                    continue;
                }
                RoundCosts& costs = costs_of(one, all);
                Curve& curve = costs.*one.curve;
                for (std::size_t i = 0; i < one.times.size(); ++i) {
                    if (is_measured(one, i)) {
                        add_point(curve, i, is_again ? again(one, i, costs) : one.typical(i));
                    } else if (i < first_ && curve.seconds[i] != 0) {
                        add_point(curve, i, curve.seconds[i]);
                    } else {
                        break;
                    }
                }
            }
        }
        return all;
    }

private:
    /// Fewer runs do not replace those of an earlier process.
    bool is_measured(const Case& one, std::size_t index) const noexcept {
        const std::size_t least = index < first_ ? static_cast<std::size_t>(runs[index]) : 1;
        return one.times[index].size() >= least;
    }
    static RoundCosts& costs_of(const Case& one, CostModel& all) {
        return (one.locked ? all.page_locked : all.ordinary)[static_cast<std::size_t>(one.placement)];
    }
    // More bytes never cost less.
    static void add_point(Curve& curve, std::size_t index, double seconds) {
        curve.seconds[index] = std::max(seconds, index == 0 ? 1e-9 : curve.seconds[index - 1]);
    }

    struct Data {
        OwnPages ordinary;
        Buffer<std::uint32_t> locked; ///< Empty if no case needs it.

        Words words(const Case& one) { return one.locked ? locked.span() : ordinary.span(); }
    };
    Data data_of(std::size_t index) {
        const std::size_t bytes = Curve::sizes[index];
        Data data{OwnPages(bytes, begin_), {}};
        if (std::any_of(cases_.begin(), cases_.end(), [](const Case& c) { return c.locked; })) {
            data.locked = {session_.device, bytes / 4, MemoryKind::host};
            std::fill(data.locked.span().begin(), data.locked.span().end(), 1U);
        }
        return data;
    }

    // The first round of each case is not timed, so that the caches are in the state that such rounds leave,
    // not that of the previous case.
    void run_all(std::size_t index, Data& data) {
        for (Case& one : cases_) {
            if (one.pattern != Pattern::sequential && Curve::sizes[index] > largest_pattern) {
                continue;
            }
            one.kernels = one.kernels > 1 ? repeated[index] : one.kernels;
            round(one, data.words(one), one.pattern);
            one.times[index].push_back(round(one, data.words(one), one.pattern));
        }
    }

    void add(Placement placement, bool locked, Words probe) {
        Case one{placement, locked, Access::device_reads, 1, &RoundCosts::reads};
        try {
            round(one, probe, Pattern::sequential);
        } catch (const Error& error) {
            if (error.code() != Code::unsupported) {
                throw;
            }
            return;
        }
        cases_.push_back(one);
        cases_.push_back({placement, locked, Access::device_writes, 1, &RoundCosts::writes});
        cases_.push_back({placement, locked, Access::device_updates, 1, &RoundCosts::updates});
        cases_.push_back({placement, locked, Access::device_reads, repeated[0], &RoundCosts::read_again});
        cases_.push_back({placement, locked, Access::device_updates, repeated[0], &RoundCosts::update_again});
        if (is_local_) {
            cases_.push_back(
                {placement, locked, Access::device_reads, 0, &RoundCosts::sparse_reads, Pattern::sparse});
            cases_.push_back(
                {placement, locked, Access::device_reads, 0, &RoundCosts::random_reads, Pattern::random});
        }
    }

    /// Accesses the bytes like a caller that has produced them, needs them, or had written there before.
    /// Without this, each case found them in the caches of the previous one.
    ///
    /// Examples: reading 1 MiB in place took three times as long after a staged round. On a machine with an
    /// H200, a download of 1 MiB through slots took 120 us into memory that the host had not accessed, and
    /// 270 us into memory that it had written. A download of 16 MiB took 0.8 ms into memory written by the
    /// host. It took 1.1 to 1.5 ms if the caches of the copy threads still held the memory from an earlier
    /// copy. Over a bus the effect on larger sizes is small compared with the time that touch() takes.
    void touch(Words words, Access access) const {
        if (!is_local_ && words.size_bytes() > largest_touched) {
            return;
        }
        if (access == Access::device_writes) {
            std::fill(words.begin(), words.end(), 5U);
        } else {
            volatile std::uint32_t sum = std::accumulate(words.begin(), words.end(), 0U);
            static_cast<void>(sum);
        }
    }

    double round(const Case& one, Words words, Pattern last) {
        touch(words, one.access);
        return session_.best_of(1, [&] {
            Shared shared = share(session_.device, words, one.access, {.allowed = one.placement});
            const std::uint32_t units = session_.units(words.size());
            const Grid grid = session_.grid_over(words.size());
            Queue& queue = session_.queue;
            for (int i = 0; i < one.kernels; ++i) {
                switch (one.access) {
                case Access::device_reads:
                    queue.launch(session_.sum, grid, shared, units, session_.out());
                    break;
                case Access::device_writes:
                    queue.launch(session_.put, grid, shared, units, 7U);
                    break;
                default:
                    queue.launch(session_.bump, grid, shared, units);
                    break;
                }
            }
            if (last != Pattern::sequential) {
                const bool sparse = last == Pattern::sparse;
                const auto n = static_cast<std::uint32_t>(words.size());
                queue.launch(session_.pick, grid, shared, sparse ? n / 100 : n, sparse ? 100U : 2654435761U,
                             n - 1, session_.out());
            }
            shared.end();
        });
    }

    static double again(const Case& one, std::size_t index, const RoundCosts& costs) {
        const Curve& once = one.access == Access::device_reads ? costs.reads : costs.updates;
        const double more = (one.typical(index) - once.seconds[index]) / (repeated[index] - 1);
        return std::max(more, once.seconds[index] / 100);
    }

    // Only over a bus, patterns differ more than in the device's own memory.
    void patterns(const Case& one, Words words, std::size_t index) {
        if (one.placement != Placement::link || one.kernels == 1 || one.access != Access::device_reads ||
            Curve::sizes[index] < (std::size_t{1} << 20)) {
            return;
        }
        Case base = one;
        base.kernels = 1;
        CostModel all = found();
        const RoundCosts& known = costs_of(one, all);
        RoundCosts& costs = costs_of(one, before_);
        const auto factor = [&](Pattern pattern) {
            double least = std::numeric_limits<double>::infinity();
            for (int i = 0; i < 2; ++i) {
                least = std::min(least, round(base, words, pattern));
            }
            const double more = least - known.reads.seconds[index];
            return std::clamp(more / known.read_again.seconds[index], 1e-3, 1e3);
        };
        const double sparse = factor(Pattern::sparse);
        const double random = factor(Pattern::random); // May throw.
        costs.sparse = sparse;
        costs.random = random;
    }

    Session& session_;
    bool is_local_ = false;
    std::size_t begin_ = 0; ///< Offset in the first page, of pageable memory.
    std::vector<Case> cases_;
    CostModel before_;  ///< Sizes measured by an earlier process, and the patterns.
    std::size_t first_; ///< The first of the remaining sizes.
};

} // namespace

CostModel calibrate(Session& session, const std::function<void(std::size_t)>& begins,
                    const std::function<void(const CostModel&)>& ends, const CostModel& before) {
    CostModel all = before;
    if (!session.time_left()) {
        return all;
    }
    // The cost of a copy once the slots exist. Otherwise sizes measured before their creation would seem
    // permanently expensive.
    if (DeviceState& state = session.device.state(); state.native().gains_from_staging()) {
        state.slots().prepare();
    }
    Rounds rounds(session, before);
    const std::size_t first = before.sizes();
    // Returns false if memory cannot be allocated.
    const auto tell = [&](std::size_t index, auto&& measure) {
        bool is_room = true;
        if (begins) {
            begins(Curve::sizes[index]);
        }
        try {
            measure();
            all = rounds.found();
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory) {
                throw;
            }
            is_room = false;
        }
        if (ends) {
            ends(all);
        }
        return is_room;
    };
    double one_pass = 0; // Seconds for all cases of the previous size.
    std::size_t sizes = first;
    for (std::size_t i = first; i < Curve::sizes.size(); ++i) {
        // Small sizes take as long as the previous one, because latency dominates.
        const double growth =
            i == first || Curve::sizes[i] <= std::size_t{1} << 20
                ? 1
                : static_cast<double>(Curve::sizes[i]) / static_cast<double>(Curve::sizes[i - 1]);
        if (!session.time_left() || session.room_for(Curve::sizes[i]) < Curve::sizes[i] ||
            one_pass * growth * runs[i] > session.seconds_left()) {
            break;
        }
        const double left = session.seconds_left();
        if (!tell(i, [&] { rounds.measure(i); })) {
            rounds.forget(i); // Forgets the runs of this size.
            break;
        }
        one_pass = (left - session.seconds_left()) / runs[i];
        sizes = i + 1;
    }
    // Sizes of an earlier process come first. It may have been disturbed or out of time, and a figure that is
    // too large raises those of all larger sizes.
    const double least_left = std::max(session.seconds_left() - longest_more, 0.0);
    for (std::size_t i = 0; i < sizes; ++i) {
        const double least = i < first ? 0 : least_left;
        if (session.seconds_left() > least) {
            tell(i, [&] { rounds.measure_more(i, least); });
        }
    }
    return all;
}

} // namespace ferry::detail
