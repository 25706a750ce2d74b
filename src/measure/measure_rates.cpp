// SPDX-License-Identifier: Apache-2.0
#include "base/host_pages.hpp"
#include "staging/copy_rates.hpp"
#include "system/pages.hpp"
#include "system/pause.hpp"
#include "system/thread.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <ctime>
#include <exception>
#include <functional>
#include <utility>

namespace ferry::detail::staging {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t piece = std::size_t{256} << 10;
constexpr std::size_t source_bytes = std::size_t{64} << 20; // More than most caches hold.
constexpr std::size_t least_source = std::size_t{16} << 20;
// For each thread. Large enough that stores leave the caches.
constexpr std::size_t target_bytes = std::size_t{2} << 20;
constexpr std::chrono::milliseconds window{1};
constexpr std::size_t most_rounds = 7;
constexpr double own = 0.9; // The part of a window in which a thread must have had a processor.

/// Processor time of the calling thread.
double processor_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Whether that clock moves in small steps. If the system counts whole ticks, as sandboxes do, the clock is
/// useless for a window. Then only the agreement of the rounds shows that they were undisturbed.
bool counts_finely() {
    constexpr std::chrono::microseconds look{200};
    constexpr int enough_steps = 10;
    double last = processor_seconds();
    int steps = 0;
    for (const Clock::time_point end = Clock::now() + look; Clock::now() < end;) {
        const double now = processor_seconds();
        steps += now != last ? 1 : 0;
        last = now;
    }
    return steps >= enough_steps;
}

/// Runs work(0, begin) to work(count - 1, begin) concurrently, each on a thread that is awake at `begin`.
/// Returns false, and runs none, if the system creates too few threads.
bool together(unsigned count, const std::function<void(unsigned, Clock::time_point)>& work) {
    enum Start : int { not_yet, now, never };
    std::atomic<int> start{not_yet};
    std::atomic<unsigned> awake{0};
    Clock::time_point begin;
    const auto wait_while = [](const auto& goes_on) {
        while (goes_on()) {
            yield_thread();
        }
    };
    std::vector<Thread> threads;
    threads.reserve(count);
    try {
        for (unsigned i = 0; i < count; ++i) {
            threads.emplace_back("ferry-measure", [&, i] {
                ++awake;
                wait_while([&] { return start == not_yet; });
                if (start == now) {
                    work(i, begin);
                }
            });
        }
        wait_while([&] { return awake != count; });
        begin = Clock::now();
        start = now;
    } catch (const std::exception&) { // The threads created so far must be joined.
        start = never;
    }
    for (Thread& thread : threads) {
        thread.join();
    }
    return start == now;
}

class Rates {
public:
    explicit Rates(unsigned most) : most_(most), source_(source_bytes), targets_(most * target_bytes) {}

    /// Allocates pages with all threads until that time, because new memory is slow in a virtual machine.
    /// Returns false if there are too few pages.
    bool prepare(Clock::time_point until) {
        std::atomic<bool> good{source_.data() != nullptr && targets_.data() != nullptr};
        std::atomic<std::size_t> made{0};
        const auto make = [&](unsigned i, Clock::time_point) {
            try {
                prepare_for_writing(targets_.data() + i * target_bytes, target_bytes);
                while (Clock::now() < until) {
                    const std::size_t next = made.fetch_add(target_bytes);
                    if (next >= source_bytes) {
                        break;
                    }
                    prepare_for_writing(source_.data() + next, target_bytes);
                }
            } catch (const std::exception&) {
                good = false;
            }
        };
        if (!good || !together(most_, make)) {
            return false;
        }
        read_ = std::min<std::size_t>(made, source_bytes);
        return good && read_ >= least_source;
    }

    /// Bytes per second of this number of threads. 0 if they could not be started or did not get the
    /// processors.
    double of(unsigned threads) {
        std::atomic<std::size_t> done{0};
        std::atomic<bool> disturbed{false};
        std::vector<double> seconds(threads);
        together(threads, [&](unsigned i, Clock::time_point begin) {
            const double before = processor_seconds();
            done += one(targets_.data() + i * target_bytes, begin + window);
            seconds[i] = Seconds(Clock::now() - begin).count();
            disturbed = disturbed || (fine_ && processor_seconds() - before < own * seconds[i]);
        });
        const double longest = *std::max_element(seconds.begin(), seconds.end());
        return longest > 0 && !disturbed ? static_cast<double>(done) / longest : 0;
    }

private:
    std::size_t one(std::byte* target, Clock::time_point until) {
        std::size_t done = 0;
        for (; Clock::now() < until; done += piece) {
            // Relaxed: it only gives each thread another piece of bytes that nothing writes.
            const std::size_t next = next_.fetch_add(piece, std::memory_order_relaxed);
            stream_copy(target + done % target_bytes, source_.data() + next % read_, piece);
        }
        return done;
    }

    unsigned most_;
    bool fine_ = counts_finely();
    std::size_t read_ = 0; ///< Bytes of the source that have pages.
    AnonymousMapping source_;
    AnonymousMapping targets_;
    std::atomic<std::size_t> next_{0}; ///< Cycles through the whole source, so that reads miss the caches.
};

} // namespace

std::optional<std::vector<CopyRate>> measure_copy_rates(unsigned most, std::chrono::milliseconds time) {
    const Clock::time_point end = Clock::now() + time;
    const std::vector<unsigned> counts = thread_counts(most);
    Rates rates(most);
    if (counts.empty() || !rates.prepare(end - time / 2)) {
        return std::nullopt;
    }
    std::vector<std::vector<double>> seen(counts.size());
    Clock::duration longest{};
    for (Clock::time_point now = Clock::now(); seen[0].size() < most_rounds && now + longest < end;) {
        for (std::size_t i = 0; i < counts.size(); ++i) {
            seen[i].push_back(rates.of(counts[i]));
        }
        longest = std::max(longest, Clock::now() - now);
        now = Clock::now();
    }
    return robust_copy_rates(counts, seen);
}

} // namespace ferry::detail::staging
