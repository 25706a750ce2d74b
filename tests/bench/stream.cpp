// SPDX-License-Identifier: Apache-2.0
// Measures for_each_chunk. It compares it with double buffering written by hand with the library's plain
// calls, and with the same chunks one after another. It prints JSON lines. Seconds are medians. "ratio" is
// the time of the hand-written code divided by that of for_each_chunk, with its quartiles over the rounds, in
// which the three take turns. Every result is checked.
#include "commands.hpp"
#include "timing.hpp"

#include <ferry/ferry.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Words = ferry::Buffer<std::uint32_t>;

constexpr std::uint32_t steps = 16;
constexpr const char* text = R"(
__kernel void scramble(__global uint* words, uint n) {
    uint i = get_global_id(0);
    if (i < n) {
        uint word = words[i];
        for (uint step = 0u; step < 16u; ++step) {
            word = word * 1664525u + 1013904223u;
        }
        words[i] = word;
    }
}
)";

class Bench {
public:
    Bench(const ferry::Device& device, const bench::StreamOptions& options)
        : device_(device),
          kernel_(ferry::Program(device, text).kernel("scramble")),
          step_(options.chunk / sizeof(std::uint32_t)),
          pinned_(device.has(ferry::MemoryKind::host) ? ferry::MemoryKind::host : ferry::MemoryKind::device) {
    }

    void by_ferry(std::span<std::uint32_t> all) const {
        ferry::for_each_chunk(device_, all, ferry::Access::device_updates,
                              {.chunk_bytes = step_ * sizeof(std::uint32_t)},
                              [&](ferry::Queue& queue, ferry::View<std::uint32_t> chunk, std::size_t) {
                                  launch(queue, chunk);
                              });
    }

    /// The chunks take turns on `sides` queues. Each queue has a buffer on the device and a page-locked one.
    /// The host fills and empties it while commands of other queues run.
    void by_hand(std::span<std::uint32_t> all, std::size_t sides) const {
        struct Side {
            ferry::Queue queue;
            Words there;
            Words pinned;
            std::optional<ferry::Event> done;
            std::span<std::uint32_t> part;
        };
        std::vector<Side> ring;
        for (std::size_t i = 0; i < sides; ++i) {
            ring.push_back({ferry::Queue(device_, {.timing = false}),
                            Words(device_, step_),
                            Words(device_, step_, pinned_),
                            std::nullopt,
                            {}});
        }
        const auto take_back = [](Side& side) {
            if (side.done) {
                side.done->wait();
                side.done.reset();
                std::copy_n(side.pinned.span().data(), side.part.size(), side.part.data());
            }
        };
        std::size_t number = 0;
        for (std::size_t first = 0; first < all.size(); first += step_, ++number) {
            Side& side = ring[number % sides];
            take_back(side);
            side.part = all.subspan(first, std::min(step_, all.size() - first));
            std::copy_n(side.part.data(), side.part.size(), side.pinned.span().data());
            const auto there = side.there.first(side.part.size());
            const auto pinned = side.pinned.first(side.part.size());
            side.queue.copy(pinned, there);
            launch(side.queue, there);
            side.queue.copy(there, pinned);
            side.done = side.queue.record();
            side.queue.flush();
        }
        for (std::size_t i = 0; i < sides; ++i) {
            take_back(ring[(number + i) % sides]);
        }
    }

    bool has_page_locked() const { return pinned_ == ferry::MemoryKind::host; }

private:
    void launch(ferry::Queue& queue, const ferry::View<std::uint32_t>& chunk) const {
        queue.launch(kernel_, ferry::Grid::covering(chunk.size(), 64), chunk,
                     static_cast<std::uint32_t>(chunk.size()));
    }

    ferry::Device device_;
    ferry::Kernel kernel_;
    std::size_t step_;
    ferry::MemoryKind pinned_;
};

void scramble(std::vector<std::uint32_t>& words) {
    for (std::uint32_t& word : words) {
        for (std::uint32_t step = 0; step < steps; ++step) {
            word = word * 1664525U + 1013904223U;
        }
    }
}

bool measure(const ferry::Device& device, const bench::StreamOptions& options) {
    const Bench bench{device, options};
    if (!bench.has_page_locked()) {
        std::fprintf(stderr, "%s has no page-locked memory for the code by hand\n", device.id().c_str());
        return true;
    }
    std::vector<std::uint32_t> words(options.bytes / sizeof(std::uint32_t));
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<std::uint32_t>(i) * 2654435761U;
    }
    std::vector<std::uint32_t> model = words;
    const std::array<std::function<void()>, 3> ways{
        [&] { bench.by_ferry(words); }, [&] { bench.by_hand(words, 2); }, [&] { bench.by_hand(words, 1); }};
    constexpr std::array names{"for_each_chunk", "double buffering by hand", "one after another by hand"};
    std::array<std::vector<double>, 3> times;
    std::vector<double> ratios;
    for (int round = -1; round < options.rounds; ++round) { // round -1 warms up
        std::array<double, 3> taken{};
        for (std::size_t turn = 0; turn < ways.size(); ++turn) {
            const std::size_t way = (turn + static_cast<std::size_t>(round + 1)) % ways.size();
            taken[way] = seconds_of(ways[way]);
            scramble(model);
            if (words != model) {
                std::fprintf(stderr, "%s: the words of %s are wrong\n", device.id().c_str(), names[way]);
                return false;
            }
        }
        if (round >= 0) {
            for (std::size_t way = 0; way < ways.size(); ++way) {
                times[way].push_back(taken[way]);
            }
            ratios.push_back(taken[1] / taken[0]);
        }
    }
    std::printf(
        "{\"device\": \"%s\", \"bytes\": %zu, \"chunk\": %zu, \"seconds\": %.6g, \"by_hand_seconds\": "
        "%.6g, \"one_after_another_seconds\": %.6g, \"ratio\": %.4f, \"quartiles\": [%.4f, %.4f], "
        "\"rounds\": %d}\n",
        device.id().c_str(), words.size() * sizeof(std::uint32_t), options.chunk, median(times[0]),
        median(times[1]), median(times[2]), median(ratios), quantile(ratios, 0.25), quantile(ratios, 0.75),
        options.rounds);
    std::fflush(stdout);
    return true;
}

} // namespace

int bench::stream(const StreamOptions& options) {
    StreamOptions with = options;
    if (with.bytes == 0) {
        with.bytes = with.quick ? (std::size_t{2} << 20) + 4 : std::size_t{1} << 30;
    }
    if (with.chunk == 0) {
        with.chunk = with.quick ? std::size_t{300} << 10 : std::size_t{32} << 20;
    }
    if (with.rounds == 0) {
        with.rounds = with.quick ? 3 : 9;
    }
    if (with.bytes < with.chunk) {
        throw std::runtime_error("--bytes is " + std::to_string(with.bytes) +
                                 ", less than a chunk, which has " + std::to_string(with.chunk) + ".");
    }
    bool all_right = true;
    for (const ferry::Device& device : ferry::devices()) {
        if (!device.info().compiles) {
            std::fprintf(stderr, "%s is left out: %s\n", device.id().c_str(),
                         device.info().compile_note.c_str());
            continue;
        }
        all_right = measure(device, with) && all_right;
    }
    return all_right ? 0 : 1;
}
