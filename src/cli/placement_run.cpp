// SPDX-License-Identifier: Apache-2.0
#include "placement_run.hpp"

#include "placement.cl.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>

namespace cli {
namespace {

using Word = std::uint32_t;
using ferry::Access;
using ferry::Pattern;
using ferry::Placement;

struct Intent {
    const char* name;
    const char* kernel;
    Access access;
    int passes;
    Pattern pattern;
};

constexpr Intent intents[] = {
    {"read once", "read_all", Access::device_reads, 1, Pattern::sequential},
    {"read ten times", "read_all", Access::device_reads, 10, Pattern::sequential},
    {"update", "update", Access::device_updates, 1, Pattern::sequential},
    {"write only", "write_all", Access::device_writes, 1, Pattern::sequential},
    {"sparse", "read_sparse", Access::device_reads, 1, Pattern::sparse},
    {"random", "read_random", Access::device_reads, 1, Pattern::random},
};

constexpr std::array every{Placement::alias, Placement::link, Placement::migrate, Placement::copy,
                           Placement::stage};

class Grid {
public:
    explicit Grid(const ferry::Device& device)
        : group_(std::min<std::size_t>(128, device.info().max_group_size)),
          is_processor_(device.info().kind == ferry::DeviceKind::cpu) {}
    // On processors, the work-items of a group run one after the other, and this part fits in the first
    // cache.
    ferry::Grid over(std::size_t words) const {
        constexpr std::size_t part = (std::size_t{16} << 10) / sizeof(Word);
        const std::size_t most = is_processor_ ? std::max<std::size_t>(64, words / part) : 4096;
        return {std::clamp<std::size_t>(words / group_, 1, most), group_};
    }
    std::size_t items(std::size_t words) const { return over(words).groups.x * group_; }

private:
    std::size_t group_;
    bool is_processor_;
};

/// The data of one cell, and the expected contents after each round. All of it is checked.
struct Work {
    const Intent& intent;
    std::span<Word> data;
    std::vector<Word> wanted{data.begin(), data.end()};
    Word sum = 0; ///< The expected sum of the kernels' reads.

    Work(const Intent& of, std::span<Word> in) : intent(of), data(in) {
        if (intent.access == Access::device_writes) {
            std::iota(wanted.begin(), wanted.end(), Word{0});
        } else if (intent.access == Access::device_reads) {
            const std::size_t step = intent.pattern == Pattern::sparse ? 100 : 1;
            for (std::size_t i = 0; i < data.size(); i += step) {
                sum += data[i];
            }
        }
    }
    void prepare() {
        if (intent.access == Access::device_writes) {
            std::fill(data.begin(), data.end(),
                      // Odd values, so that no round leaves the expected result of the next one.
                      poison -= 2);
        }
    }
    void check(Word found_sum, Placement taken) {
        if (intent.access == Access::device_updates) {
            std::for_each(wanted.begin(), wanted.end(), [](Word& word) { ++word; });
        }
        const auto fail = [&](const std::string& what) {
            throw std::runtime_error(what + " after " + intent.name + " by " + std::string(to_string(taken)));
        };
        if (!std::equal(data.begin(), data.end(), wanted.begin())) {
            const auto [found, want] = std::mismatch(data.begin(), data.end(), wanted.begin());
            fail("element " + std::to_string(found - data.begin()) + " is " + std::to_string(*found) +
                 " instead of " + std::to_string(*want));
        }
        if (found_sum != sum) {
            fail("the kernels' sum is " + std::to_string(found_sum) + " instead of " + std::to_string(sum));
        }
    }

private:
    Word poison = 0xFFFFFFFF; ///< Larger than any index.
};

class Bench {
public:
    Bench(const ferry::Device& device, std::size_t largest)
        : device_(device),
          queue_(device),
          program_(device, kernels::placement_cl),
          grid_(device),
          out_(device, grid_.items(largest / sizeof(Word))) {}

    /// Returns the time of one round. `said` receives the explanation of explain().
    double round(Work& work, ferry::Placements allowed, ferry::Explanation& said) {
        const Intent& intent = work.intent;
        const auto n = static_cast<std::uint64_t>(work.data.size());
        const ferry::Kernel kernel = program_.kernel(intent.kernel);
        const ferry::Grid grid = grid_.over(work.data.size());
        const bool reads = intent.access == Access::device_reads;
        work.prepare();
        const auto out = out_.first(grid_.items(work.data.size()));
        queue_.fill(out, Word{0});
        queue_.finish();
        const auto start = std::chrono::steady_clock::now();
        {
            auto shared = ferry::share(device_, work.data, intent.access,
                                       {.allowed = allowed,
                                        .passes = static_cast<double>(intent.passes),
                                        .pattern = intent.pattern});
            for (int pass = 0; pass < intent.passes; ++pass) {
                reads ? queue_.launch(kernel, grid, shared, out, n) : queue_.launch(kernel, grid, shared, n);
            }
            said = shared.explain();
            shared.end();
        }
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        const std::vector<Word> sums = queue_.read(out);
        work.check(std::accumulate(sums.begin(), sums.end(), Word{0}), said.taken);
        return time.count();
    }

private:
    ferry::Device device_;
    ferry::Queue queue_;
    ferry::Program program_;
    Grid grid_;
    ferry::Buffer<Word> out_;
};

} // namespace

const PlacementCell::Forced& PlacementCell::best() const {
    return *std::min_element(forced.begin(), forced.end(),
                             [](const Forced& a, const Forced& b) { return a.seconds < b.seconds; });
}

double PlacementCell::seconds() const {
    const auto found =
        std::find_if(forced.begin(), forced.end(), [&](const Forced& f) { return f.placement == chosen; });
    return found != forced.end() ? found->seconds : free_seconds;
}

namespace {

/// The possible placements. Each is used once.
std::vector<PlacementCell::Forced> possible(Bench& bench, Work& work) {
    std::vector<PlacementCell::Forced> found;
    for (const Placement placement : every) {
        try {
            ferry::Explanation said;
            bench.round(work, placement, said);
            found.push_back({placement, 1e9, said.predicted_seconds});
        } catch (const ferry::Error& error) {
            if (error.code() != ferry::Code::unsupported) {
                throw;
            }
        }
    }
    return found;
}

// Longer times were disturbed. The shortest time is not typical either: on some devices one round of fifty is
// much faster.
double first_quartile(std::vector<double>& times) {
    const auto quartile = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
    std::nth_element(times.begin(), quartile, times.end());
    return *quartile;
}

PlacementCell measure_cell(Bench& bench, const Intent& intent, std::span<Word> data, int rounds) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::seconds most_time{8};
    constexpr int fewest = 3;
    // A program keeps its placement, so its caches and driver are in the state left by the same placement. A
    // round without a timed result restores that state. For larger sizes the effect is negligible.
    constexpr std::size_t largest_warmed = std::size_t{16} << 20;
    Work work(intent, data);
    PlacementCell cell{.intent = intent.name,
                       .bytes = data.size() * sizeof(Word),
                       .chosen = {},
                       .free_seconds = 1e9,
                       .forced = possible(bench, work)};
    const Clock::time_point start = Clock::now();
    const auto go_on = [&](int still) {
        return cell.rounds < fewest || (Clock::now() - start < most_time && cell.rounds < 3 * rounds &&
                                        (cell.rounds < rounds || still < rounds / 3));
    };
    int still = 0; // Rounds since a shortest time last fell.
    std::vector<std::vector<double>> times(1 + cell.forced.size());
    for (; go_on(still); ++cell.rounds, ++still) {
        // All placements in turn, so that a disturbance affects all of them.
        ferry::Explanation said;
        const auto take = [&](std::vector<double>& of, ferry::Placements allowed) {
            if (cell.bytes <= largest_warmed) {
                bench.round(work, allowed, said);
            }
            const double seconds = bench.round(work, allowed, said);
            still = of.empty() || seconds < *std::min_element(of.begin(), of.end()) * 0.99 ? 0 : still;
            of.push_back(seconds);
        };
        take(times[0], ferry::Placements::all());
        cell.chosen = said.taken;
        for (std::size_t i = 0; i < cell.forced.size(); ++i) {
            take(times[i + 1], cell.forced[i].placement);
        }
    }
    cell.free_seconds = first_quartile(times[0]);
    for (std::size_t i = 0; i < cell.forced.size(); ++i) {
        cell.forced[i].seconds = first_quartile(times[i + 1]);
    }
    return cell;
}

} // namespace

std::vector<PlacementCell> measure_placements(const ferry::Device& device, std::size_t largest, int rounds,
                                              bool page_locked, bool afresh,
                                              const std::function<void(const PlacementCell&)>& each) {
    static_cast<void>(device.capabilities(ferry::MemoryKind::imported,
                                          afresh ? ferry::Probe::fresh : ferry::Probe::cached));
    Bench bench(device, largest);
    std::vector<PlacementCell> cells;
    std::mt19937 random(std::random_device{}());
    for (std::size_t bytes = 4096; bytes <= largest; bytes *= 4) {
        std::vector<Word> ordinary;
        ferry::Buffer<Word> locked;
        if (page_locked) {
            locked = {device, bytes / sizeof(Word), ferry::MemoryKind::host};
        } else {
            ordinary.resize(bytes / sizeof(Word));
        }
        const std::span<Word> data = page_locked ? locked.span() : std::span<Word>(ordinary);
        std::generate(data.begin(), data.end(), std::ref(random));
        for (const Intent& intent : intents) {
            cells.push_back(measure_cell(bench, intent, data, rounds));
            each(cells.back());
        }
    }
    return cells;
}

} // namespace cli
