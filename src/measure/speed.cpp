// SPDX-License-Identifier: Apache-2.0
#include "measure/memory_tests.hpp"
#include "measure/settle.hpp"
#include "measure/words.hpp"

#include <numeric>
#include <vector>

namespace ferry::detail::memory_tests {
namespace {

// Uncached reads are slower than ordinary memory by more than this factor.
constexpr double uncached_factor = 8;

Speed speed_of(Session& session, const View<std::uint32_t>& data) {
    return {session.best_of(3, [&] { session.read_once(data); }), session.load_once(data)};
}

std::string speed_text(double bytes, const Speed& speed) {
    return rate_text(bytes, speed.whole) +
           (speed.load > 0 ? " and " + time_text(speed.load) + " a load" : std::string());
}

void settle_speed(MemoryCapabilities& facts, std::size_t bytes, const Speed& speed) {
    const auto size = static_cast<double>(bytes);
    const std::string of = std::to_string(bytes >> 10) + " KiB";
    settle(facts.read_bandwidth, static_cast<std::uint64_t>(size / std::max(speed.whole, 1e-9)),
           "a kernel reads " + of + " at " + rate_text(size, speed.whole));
    if (speed.load <= 0) {
        facts.read_latency.source += "; not measured: launches took more time than the loads";
        return;
    }
    settle(facts.read_latency, static_cast<std::uint64_t>(std::max(speed.load * 1e9, 1.0)),
           "a load that needs the one before, anywhere in " + of + ", takes " + time_text(speed.load));
}

} // namespace

void test_reach(Session& session, MemoryCapabilities& facts) {
    const std::size_t bytes = session.size_for(std::size_t{64} << 20, 0.02, [&](std::size_t size) {
        Words probe(session.device, facts.kind, size / 4);
        session.write_once(probe);
    });
    Words data(session.device, facts.kind, bytes / 4);
    if (facts.kind == MemoryKind::device) {
        session.write_once(data);
        const Speed speed = speed_of(session, data);
        if (!session.time_left()) {
            session.give_up(); // It was one run, or a small size.
            return;
        }
        settle_speed(facts, bytes, speed);
        return;
    }
    Words own(session.device, MemoryKind::device, bytes / 4);
    session.write_once(own);
    session.write_once(data);
    const bool may_move = facts.kind == MemoryKind::shared;
    double first = 0;
    Speed speed;
    Speed beside;
    bool far = true;
    bool moved = may_move;
    for (int repeat = 0; repeat < 3 && (far || moved); ++repeat) {
        if (may_move) {
            std::iota(data.span().begin(), data.span().end(), 1U);
        }
        first = session.read_once(data);
        speed = speed_of(session, data);
        beside = speed_of(session, own);
        far = far && is_far(speed, beside);
        moved = moved && first > 5 * speed.whole && first - speed.whole > 1e-3;
        if (!session.time_left()) {
            session.give_up(); // It was one run, or a small size.
            return;
        }
    }
    const auto size = static_cast<double>(bytes);
    settle_speed(facts, bytes, speed);
    settle(facts.reach,
           far                                             ? Reach::link
           : facts.reach.confidence == Confidence::unknown ? Reach::local
                                                           : facts.reach.value,
           "a kernel reads it at " + speed_text(size, speed) + ", and the device's own memory at " +
               speed_text(size, beside));
    if (may_move && facts.migrates.confidence < Confidence::declared) {
        facts.migrates = {moved, Confidence::measured,
                          "measured: a kernel reads what the host wrote at " + rate_text(size, first) +
                              ", and again at " + rate_text(size, speed.whole),
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
    // A disturbance occurs once, and affects only one of the two.
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

} // namespace ferry::detail::memory_tests
