// SPDX-License-Identifier: Apache-2.0
#include "calibration.hpp"
#include "litmus/session.hpp"

#include <ferry/mapping.hpp>

#include <algorithm>
#include <vector>

namespace ferry::detail {
namespace {

using litmus::Session;
using Words = Buffer<std::uint32_t>;

constexpr std::size_t few = 4096;
constexpr std::size_t many = std::size_t{64}
                             << 20; // beyond most caches, and half a millisecond on a fast bus
constexpr int runs = 3;

PathCost cost(double few_seconds, double many_seconds, std::size_t many_bytes) {
    // Where both take about as long the difference is noise; then the many bytes cost an eighth of it at
    // least.
    const double more = std::max({many_seconds - few_seconds, many_seconds / 8, 1e-9});
    return {few_seconds * 1e6, static_cast<double>(many_bytes - few) / more};
}

// `run` takes a number of words and does what is timed with so many.
template <class Run>
void measure(Session& session, PathCost& path, std::size_t bytes, Run run) {
    if (!session.time_left() || bytes <= few) {
        return;
    }
    run(few / 4);
    run(bytes / 4);
    const double small = session.best_of(8, [&] { run(few / 4); });
    path = cost(small, session.best_of(runs, [&] { run(bytes / 4); }), bytes);
}

} // namespace

Calibration calibrate(Session& session) {
    Calibration all;
    const std::size_t bytes = session.size_for(many, 0.008, [&](std::size_t size) {
        Words probe(session.device, size / 4);
        session.queue.fill(probe, 1U);
        session.queue.finish();
    });
    const bool has_host = session.device.has(MemoryKind::host);
    Queue& queue = session.queue;
    Words device(session.device, bytes / 4);
    const auto both = [&](PathCost& up, PathCost& down, std::span<std::uint32_t> words) {
        measure(session, up, bytes,
                [&](std::size_t n) { queue.copy_and_wait(words.first(n), device.first(n)); });
        measure(session, down, bytes,
                [&](std::size_t n) { queue.copy_and_wait(device.first(n), words.first(n)); });
    };
    const auto kernels = [&](PathCost& read, PathCost& write, Words& small, Words& large) {
        measure(session, write, bytes,
                [&](std::size_t n) { session.write_once(n < large.size() ? small : large); });
        measure(session, read, bytes,
                [&](std::size_t n) { session.read_once(n < large.size() ? small : large); });
    };
    std::vector<std::uint32_t> ordinary(bytes / 4, 3);
    both(all.pageable_up, all.pageable_down, ordinary);
    if (has_host) {
        Words host(session.device, bytes / 4, MemoryKind::host);
        Words small_host(session.device, few / 4, MemoryKind::host);
        std::fill(host.span().begin(), host.span().end(), 3U);
        both(all.pinned_up, all.pinned_down, host.span());
        kernels(all.link_read, all.link_write, small_host, host);
    }
    Words small_device(session.device, few / 4);
    kernels(all.local_read, all.local_write, small_device, device);
    // The two ends of a mapping are timed apart: what one side brings over, the other need not.
    for (const std::size_t size : {few, bytes}) {
        if (!session.time_left() || bytes <= few) {
            break;
        }
        Words mapped(session.device, size / 4, has_host ? MemoryKind::host : MemoryKind::device);
        double ends[2]{1e9, 1e9};
        for (int i = 0; i < runs; ++i) {
            Mapping<std::uint32_t> mapping;
            ends[0] =
                std::min(ends[0], session.best_of(1, [&] { mapping = mapped.map(queue, Map::read_write); }));
            ends[1] = std::min(ends[1], session.best_of(1, [&] {
                mapping.unmap();
                queue.finish();
            }));
        }
        all.map = size == few ? PathCost{ends[0], 0} : cost(all.map.latency_us, ends[0], bytes);
        all.unmap = size == few ? PathCost{ends[1], 0} : cost(all.unmap.latency_us, ends[1], bytes);
    }
    return all;
}

} // namespace ferry::detail
