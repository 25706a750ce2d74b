// SPDX-License-Identifier: Apache-2.0
// Measures copies from each device to each other device, compared with their bounds. Between two CUDA devices
// the bound is the vendor's own peer copy. Otherwise it is the slower of the two legs through page-locked
// memory, each measured alone.
// It prints JSON lines. Seconds are medians. "ratio" is Ferry's time divided by the bound's, with its
// quartiles over the rounds, in which the two sides take turns. Every copy is checked.
#include "commands.hpp"
#include "raw_cuda.hpp"
#include "timing.hpp"

#include <ferry/ferry.hpp>
#include <ferry/interop/cuda.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <vector>

namespace {

using Words = ferry::Buffer<std::uint32_t>;

/// A device's side of a copy: its memory, and its own page-locked memory if it has some.
struct Side {
    Side(const ferry::Device& device, std::size_t count)
        : queue(device),
          data(device, count),
          host(device, count,
               device.has(ferry::MemoryKind::host) ? ferry::MemoryKind::host : ferry::MemoryKind::device) {}

    void down() {
        queue.copy(data, host);
        queue.finish();
    }
    void up() {
        queue.copy(host, data);
        queue.finish();
    }

    ferry::Queue queue;
    Words data;
    Words host;
};

/// cuMemcpyPeerAsync between the memory of the two sides, if both are CUDA devices.
class RawPeer {
public:
    RawPeer(Side& from, Side& to)
        : cuda_(static_cast<std::size_t>(from.queue.device().info().index)),
          from_(ferry::interop::cuda::pointer(from.data)),
          to_(ferry::interop::cuda::pointer(to.data)),
          from_context_(ferry::interop::cuda::context(from.queue.device())),
          to_context_(ferry::interop::cuda::context(to.queue.device())),
          bytes_(from.data.size() * sizeof(std::uint32_t)) {
        cuda_.find(copy_, "cuMemcpyPeerAsync");
        cuda_.enter();
        stream_ = cuda_.stream();
    }
    void copy() const {
        cuda_.enter();
        bench::RawCuda::check(copy_(to_, to_context_, from_, from_context_, bytes_, stream_),
                              "cuMemcpyPeerAsync");
        cuda_.synchronize(stream_);
    }

private:
    bench::RawCuda cuda_;
    bench::RawCuda::Pointer from_;
    bench::RawCuda::Pointer to_;
    void* from_context_;
    void* to_context_;
    std::size_t bytes_;
    void* stream_ = nullptr;
    int (*copy_)(bench::RawCuda::Pointer, void*, bench::RawCuda::Pointer, void*, std::size_t,
                 void*) = nullptr;
};

bool measure(const ferry::Device& from, const ferry::Device& to, const bench::BetweenOptions& options) {
    const std::size_t count = options.bytes / sizeof(std::uint32_t);
    Side source{from, count};
    Side target{to, count};
    const bool cuda = from.backend() == ferry::Backend::cuda && to.backend() == ferry::Backend::cuda;
    std::optional<RawPeer> peer;
    if (cuda) {
        peer.emplace(source, target);
    }
    std::vector<std::uint32_t> sent(count);
    std::mt19937 random{std::random_device{}()};
    std::vector<double> times;
    std::vector<double> bounds;
    std::vector<double> ratios;
    for (int round = -1; round < options.rounds; ++round) { // round -1 warms up
        std::generate(sent.begin(), sent.end(), std::ref(random));
        source.queue.copy(sent, source.data);
        target.queue.fill(target.data, 0xDEADBEEFU);
        source.queue.finish();
        target.queue.finish();
        const double time = seconds_of([&] {
            target.queue.copy(source.data, target.data);
            target.queue.finish();
        });
        if (target.queue.read(target.data) != sent) {
            std::fprintf(stderr, "%s to %s: the bytes are wrong\n", from.id().c_str(), to.id().c_str());
            return false;
        }
        const double bound =
            peer ? seconds_of([&] { peer->copy(); })
                 : std::max(seconds_of([&] { source.down(); }), seconds_of([&] { target.up(); }));
        if (round >= 0) {
            times.push_back(time);
            bounds.push_back(bound);
            ratios.push_back(time / bound);
        }
    }
    std::printf("{\"from\": \"%s\", \"to\": \"%s\", \"bytes\": %zu, \"seconds\": %.6g, \"bound\": \"%s\", "
                "\"bound_seconds\": %.6g, \"ratio\": %.4f, \"quartiles\": [%.4f, %.4f], \"rounds\": %d}\n",
                from.id().c_str(), to.id().c_str(), count * sizeof(std::uint32_t), median(times),
                peer ? "cuMemcpyPeerAsync" : "the slower leg alone", median(bounds), median(ratios),
                quantile(ratios, 0.25), quantile(ratios, 0.75), options.rounds);
    std::fflush(stdout);
    return true;
}

} // namespace

int bench::between(const BetweenOptions& options) {
    BetweenOptions with = options;
    if (with.bytes == 0) {
        with.bytes = with.quick ? (std::size_t{3} << 20) + 4 : std::size_t{1} << 30;
    }
    if (with.rounds == 0) {
        with.rounds = with.quick ? 3 : 9;
    }
    const std::vector<ferry::Device> devices = ferry::devices();
    if (devices.size() < 2) {
        throw std::runtime_error("Copies between devices need two devices, and there is one.");
    }
    bool all_right = true;
    for (const ferry::Device& from : devices) {
        for (const ferry::Device& to : devices) {
            if (from.id() != to.id()) {
                all_right = measure(from, to, with) && all_right;
            }
        }
    }
    return all_right ? 0 : 1;
}
