// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"
#include "device_state.hpp"
#include "litmus/own_pages.hpp"
#include "litmus/session.hpp"
#include "staging/slots.hpp"

#include <ferry/share.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <vector>

namespace ferry::detail {
namespace {

using litmus::OwnPages;
using litmus::Session;
using Words = std::span<std::uint32_t>;

constexpr std::array<int, Curve::sizes.size()> runs{8, 6, 4, 3, 2, 2}; // and one before, to warm up
// As many times more where that is quick, since the shortest of few runs can still be one that was disturbed.
constexpr int most_more = 4;
constexpr int enough_runs = 2;        // where the time is over
constexpr double part_for_more = 0.1; // of the time that is left, for each size
// Kernels in a round where "again" is measured: small ones hide in noise.
constexpr std::array<int, Curve::sizes.size()> repeated{9, 9, 3, 3, 3, 3};

/// What is timed at each size.
struct Case {
    Placement placement{};
    bool locked = false;
    Access access{};
    int kernels = 1;
    Curve RoundCosts::*curve = nullptr;
    double best = 0;
};

class Rounds {
public:
    explicit Rounds(Session& session) : session_(session) {
        const bool link = session.device.state().native().import_reach() == backend::ImportReach::link;
        const OwnPages probe(Curve::sizes.front());
        for (std::size_t i = 0; i < Calibration::placements; ++i) {
            add(static_cast<Placement>(i), false, probe.span());
        }
        if (link && session.device.has(MemoryKind::host)) {
            Buffer<std::uint32_t> locked(session.device, 1024, MemoryKind::host);
            for (const Placement placement : {Placement::link, Placement::copy, Placement::stage}) {
                add(placement, true, locked.span());
            }
        }
    }

    /// All cases with so many bytes; returns how often each was run. Throws Error (out_of_memory) where there
    /// is no room for them.
    int measure(std::size_t index, Calibration& into) {
        const std::size_t bytes = Curve::sizes[index];
        const OwnPages ordinary(bytes);
        Buffer<std::uint32_t> locked;
        if (std::any_of(cases_.begin(), cases_.end(), [](const Case& c) { return c.locked; })) {
            locked = {session_.device, bytes / 4, MemoryKind::host};
            std::fill(locked.span().begin(), locked.span().end(), 1U);
        }
        const auto words = [&](const Case& one) { return one.locked ? locked.span() : ordinary.span(); };
        double least_left = 0; // of the session's seconds, for another run
        int run = -1;
        for (; run < runs[index] * most_more; ++run) { // in turns: what disturbs, disturbs all
            if (run >= enough_runs && !session_.time_left()) {
                break;
            }
            if (run == runs[index]) {
                least_left = session_.seconds_left() * (1 - part_for_more);
            }
            if (session_.seconds_left() < least_left) {
                break;
            }
            for (Case& one : cases_) {
                one.kernels = one.kernels == 1 ? 1 : repeated[index];
                const double seconds = round(one, words(one), Pattern::sequential);
                one.best = run <= 0 ? seconds : std::min(one.best, seconds);
            }
        }
        for (const Case& one : cases_) {
            costs_of(one, into).*one.curve = with_point(costs_of(one, into).*one.curve, index, one.best);
        }
        for (const Case& one : cases_) {
            again(one, index, into);
            patterns(one, words(one), index, into);
        }
        return run + 1;
    }

private:
    static RoundCosts& costs_of(const Case& one, Calibration& all) {
        return (one.locked ? all.page_locked : all.ordinary)[static_cast<std::size_t>(one.placement)];
    }
    // More bytes never cost less.
    static Curve with_point(Curve curve, std::size_t index, double seconds) {
        curve.seconds[index] = std::max(seconds, index == 0 ? 1e-9 : curve.seconds[index - 1]);
        return curve;
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
    }

    double round(const Case& one, Words words, Pattern last) {
        return session_.best_of(1, [&] {
            Shared shared = share(session_.device, words, one.access, {.allowed = one.placement});
            const auto vectors = static_cast<std::uint32_t>(words.size() / 4);
            const Grid grid = session_.whole_device();
            Queue& queue = session_.queue;
            for (int i = 0; i < one.kernels; ++i) {
                switch (one.access) {
                case Access::device_reads:
                    queue.launch(session_.sum, grid, shared, vectors, session_.out());
                    break;
                case Access::device_writes:
                    queue.launch(session_.put, grid, shared, vectors, 7U);
                    break;
                default:
                    queue.launch(session_.bump, grid, shared, vectors);
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

    void again(const Case& one, std::size_t index, Calibration& into) {
        if (one.kernels == 1) {
            return;
        }
        RoundCosts& costs = costs_of(one, into);
        const Curve& once = one.access == Access::device_reads ? costs.reads : costs.updates;
        const double more = (one.best - once.seconds[index]) / (one.kernels - 1);
        costs.*one.curve = with_point(costs.*one.curve, index, std::max(more, once.seconds[index] / 100));
    }

    // Only a bus tells patterns apart by more than the device's own memory does.
    void patterns(const Case& one, Words words, std::size_t index, Calibration& into) {
        if (one.placement != Placement::link || one.kernels == 1 || one.access != Access::device_reads ||
            Curve::sizes[index] < (std::size_t{1} << 20)) {
            return;
        }
        Case base = one;
        base.kernels = 1;
        RoundCosts& costs = costs_of(one, into);
        const auto factor = [&](Pattern pattern) {
            double least = std::numeric_limits<double>::infinity();
            for (int i = 0; i < 2; ++i) {
                least = std::min(least, round(base, words, pattern));
            }
            const double more = least - costs.reads.seconds[index];
            return std::clamp(more / costs.read_again.seconds[index], 1e-3, 1e3);
        };
        costs.sparse = factor(Pattern::sparse);
        costs.random = factor(Pattern::random);
    }

    Session& session_;
    std::vector<Case> cases_;
};

} // namespace

Calibration calibrate(Session& session, const std::function<void(std::size_t)>& begins,
                      const std::function<void(const Calibration&)>& ends) {
    Calibration all;
    if (!session.time_left()) {
        return all;
    }
    // What a copy costs once the slots are there: else the sizes for which there were none yet look dear for
    // good.
    if (DeviceState& state = session.device.state(); state.native().gains_from_staging()) {
        state.slots().prepare();
    }
    Rounds rounds(session);
    double one_pass = 0; // seconds for each case, of the size before
    for (std::size_t i = 0; i < Curve::sizes.size(); ++i) {
        // Small sizes take as long as the one before: latencies.
        const double growth =
            Curve::sizes[i] <= std::size_t{1} << 20
                ? 1
                : static_cast<double>(Curve::sizes[i]) / static_cast<double>(Curve::sizes[i - 1]);
        if (!session.time_left() || session.room_for(Curve::sizes[i]) < Curve::sizes[i] ||
            one_pass * growth * (runs[i] + 1) > session.seconds_left()) {
            break;
        }
        Calibration with = all;
        if (begins) {
            begins(Curve::sizes[i]);
        }
        const double before = session.seconds_left();
        int times = 1;
        try {
            times = rounds.measure(i, with);
        } catch (const Error& error) {
            if (error.code() != Code::out_of_memory) {
                throw;
            }
            if (ends) {
                ends(all);
            }
            break;
        }
        one_pass = (before - session.seconds_left()) / times;
        all = with;
        if (ends) {
            ends(all);
        }
    }
    return all;
}

} // namespace ferry::detail
