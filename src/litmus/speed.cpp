// SPDX-License-Identifier: Apache-2.0
#include "litmus.hpp"
#include "verdict.hpp"

#include <numeric>
#include <vector>

namespace ferry::detail::litmus {
namespace {

// Memory of the device's own that is read more than so many times faster is closer than this one.
constexpr double link_factor = 4;
// What is read uncached is slower than ordinary memory by more than this.
constexpr double uncached_factor = 8;

double best_read(Session& session, Buffer<std::uint32_t>& data) {
    return session.best_of(3, [&] { session.read_once(data); });
}

} // namespace

void test_reach(Session& session, MemoryCapabilities& facts) {
    const std::size_t bytes = session.size_for(std::size_t{64} << 20, 0.02, [&](std::size_t size) {
        Buffer<std::uint32_t> probe(session.device, size / 4, facts.kind);
        session.write_once(probe);
    });
    Buffer<std::uint32_t> data(session.device, bytes / 4, facts.kind);
    Buffer<std::uint32_t> own(session.device, bytes / 4);
    session.queue.fill(own, 1U);
    session.queue.finish();
    double first = 0;
    double second = 0;
    double beside = 0;
    bool far = true;
    bool moved = true;
    for (int repeat = 0; repeat < 3 && (far || moved); ++repeat) {
        if (repeat != 0 && !session.time_left()) {
            session.give_up(); // once is no proof
            return;
        }
        std::iota(data.span().begin(), data.span().end(), 1U);
        first = session.read_once(data);
        second = best_read(session, data);
        beside = best_read(session, own);
        far = far && second > link_factor * beside;
        moved = moved && first > 5 * second && first - second > 1e-3;
    }
    const double size = static_cast<double>(bytes);
    const std::string speeds = "a kernel reads it at " + rate_text(size, second) +
                               ", and the device's own memory at " + rate_text(size, beside);
    settle(facts.reach,
           far                                             ? Reach::link
           : facts.reach.confidence == Confidence::unknown ? Reach::local
                                                           : facts.reach.value,
           speeds);
    if (facts.kind == MemoryKind::shared && facts.migrates.confidence < Confidence::declared) {
        facts.migrates = {moved, Confidence::measured,
                          "measured: a kernel reads what the host wrote at " + rate_text(size, first) +
                              ", and again at " + rate_text(size, second),
                          moved == facts.migrates.value ? std::string() : facts.migrates.source};
    }
}

void test_host_cache(Session& session, MemoryCapabilities& facts) {
    const std::size_t bytes = session.room_for(std::size_t{2} << 20);
    Buffer<std::uint32_t> data(session.device, bytes / 4, facts.kind);
    std::vector<std::uint32_t> ordinary(bytes / 4, 1);
    std::fill(data.span().begin(), data.span().end(), 1U);
    volatile std::uint32_t sink = 0;
    const auto read = [&](std::span<const std::uint32_t> words) {
        return session.best_of(4, [&] { sink = std::accumulate(words.begin(), words.end(), sink + 0U); });
    };
    double here = 0;
    double there = 0;
    bool cached = false;
    // What disturbs a run does so once, and is there for one of the two only.
    for (int repeat = 0; repeat < 3 && !cached; ++repeat) {
        if (repeat != 0 && !session.time_left()) {
            session.give_up();
            return;
        }
        here = read(data.span());
        there = read(ordinary);
        cached = here < uncached_factor * there;
    }
    const double size = static_cast<double>(bytes);
    settle(facts.host_cached, cached,
           "the host reads it at " + rate_text(size, here) + ", and ordinary memory at " +
               rate_text(size, there));
}

} // namespace ferry::detail::litmus
