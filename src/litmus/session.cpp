// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <bit>
#include <cstdio>

namespace ferry::detail::litmus {
namespace {

// One program, since compilers take longer to begin than for one kernel more. pick() is for random and sparse
// access. OpenCL C 1.2 has no scopes: there count()'s atomic is the driver's widest.
// A group has a part in one piece, which its work-items go over side by side: what suits GPUs and processors.
// With strides over all of the memory a processor's time was that of its address translation: 4 MiB on pages
// of 4 KiB took twice as long as on pages of 2 MiB, which a pool's memory has by chance and a caller's does
// not. chase() knows where to go on only when it has loaded, and comes by each word of a power of two before
// it is at one again (D. E. Knuth, The Art of Computer Programming 2, 3.2.1.2, theorem A: full period).
// answer() is two-sided: each side waits for the other's word. The host's words are in `host`, the kernel's
// in `device`, far enough from each other to be in different cache lines everywhere. It ends by itself.
constexpr const char* text = R"(
__kernel void touch(__global uint* data) { data[0] += 1u; }

#define FOR_MINE(i, count)                                                                     \
    const uint local_count = get_local_size(0);                                                \
    const uint all_items = get_num_groups(0) * local_count;                                    \
    const uint mine = (count / all_items + (count % all_items != 0u)) * local_count;           \
    const uint from = min((uint)get_group_id(0) * mine, count);                                \
    const uint to = min(from + mine, count);                                                   \
    for (uint i = from + get_local_id(0); i < to; i += local_count)

__kernel void sum(__global const uint4* data, uint count, __global uint* out) {
    uint total = 0u;
    FOR_MINE(i, count) {
        uint4 v = data[i];
        total += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (total == 0x9e3779b9u) {
        out[0] = total;
    }
}

__kernel void put(__global uint4* data, uint count, uint value) {
    FOR_MINE(i, count) {
        data[i] = (uint4)(value, value + 1u, value + 2u, value + 3u);
    }
}

__kernel void bump(__global uint4* data, uint count) {
    FOR_MINE(i, count) {
        data[i] += (uint4)(1u);
    }
}

__kernel void pick(__global const uint* data, uint count, uint step, uint mask, __global uint* out) {
    uint total = 0u;
    FOR_MINE(i, count) {
        total += data[(i * step) & mask];
    }
    if (total == 0x9e3779b9u) {
        out[0] = total;
    }
}

__kernel void chase(__global const uint* data, uint mask, uint at, uint steps, __global uint* out) {
    for (uint i = 0u; i < steps; ++i) {
        at = (at * 1664525u + 1013904223u + (data[at] >> 31)) & mask;
    }
    out[0] = at;
}

__kernel void count(__global volatile uint* counter, uint times) {
    for (uint i = 0u; i < times; ++i) {
        atomic_inc(counter);
    }
}

__kernel void answer(__global volatile uint* host, __global volatile uint* device, uint rounds) {
    device[0] = 1u;
    uint heard = 0u;
    for (uint i = 0u; i < rounds && heard != 9u; ++i) {
        heard = host[0];
        if (heard == 7u) {
            device[0] = 2u;
        }
    }
    device[1] = heard;
}
)";

} // namespace

Session::Session(const Device& of, Time until, std::chrono::milliseconds at_least)
    : whole_end_(until),
      end_(whole_end_),
      device(of),
      queue(of, {.timing = false}),
      program(of, Source::opencl_c(text, "litmus.cl")),
      touch(program.kernel("touch")),
      sum(program.kernel("sum")),
      put(program.kernel("put")),
      bump(program.kernel("bump")),
      pick(program.kernel("pick")),
      chase(program.kernel("chase")),
      answer(program.kernel("answer")),
      out_(of, 1) {
    // Some drivers compile when a kernel is launched for the first time.
    Buffer<std::uint32_t> data(device, 1024);
    write_once(data);
    read_once(data);
    queue.launch(touch, {.groups = {1}, .local = {1}}, data);
    queue.launch(answer, {.groups = {1}, .local = {1}}, data.first(512), data.last(512), 1U);
    queue.finish();
    whole_end_ = std::max(whole_end_, Clock::now() + at_least);
    end_ = whole_end_;
}

std::size_t Session::room_for(std::size_t wanted) const {
    const DeviceInfo& info = device.info();
    std::uint64_t most = info.total_memory / 16;
    if (info.max_allocation != 0) {
        most = std::min(most, info.max_allocation / 4);
    }
    if (const auto free = device.memory().free) {
        most = std::min(most, *free / 8);
    }
    constexpr std::size_t unit = std::size_t{64} << 10;
    return std::max(std::min<std::uint64_t>(wanted, most) / unit * unit, std::uint64_t{unit});
}

Grid Session::whole_device() const {
    const DeviceInfo& info = device.info();
    const std::size_t local =
        std::min<std::size_t>(info.max_group_size, info.kind == DeviceKind::gpu ? 256 : 64);
    const std::size_t groups =
        std::size_t{std::max(info.compute_units, 1U)} * (info.kind == DeviceKind::gpu ? 16 : 4);
    return {.groups = {groups}, .local = {local}};
}

double Session::read_once(const View<std::uint32_t>& data) {
    return best_of(1, [&] {
        queue.launch(sum, whole_device(), data, static_cast<std::uint32_t>(data.size() / 4), out_);
        queue.finish();
    });
}

double Session::write_once(const View<std::uint32_t>& data) {
    return best_of(1, [&] {
        queue.launch(put, whole_device(), data, static_cast<std::uint32_t>(data.size() / 4), 11U);
        queue.finish();
    });
}

double Session::load_once(const View<std::uint32_t>& data) {
    const auto mask = static_cast<std::uint32_t>(std::bit_floor(data.size()) - 1);
    const auto seconds = [&](std::uint32_t steps) {
        return best_of(3, [&] {
            // From somewhere else each time: where it was before a cache may have it.
            const std::uint32_t from = ++chases_ * 0x9e3779b9U & mask;
            queue.launch(chase, {.groups = {1}, .local = {1}}, data, mask, from, steps, out_);
            queue.finish();
        });
    };
    const double launch = seconds(0);
    std::uint32_t steps = 64;
    double loads = seconds(steps) - launch;
    while (loads < 1e-3 && steps < 4096 && time_left()) {
        steps *= 4;
        loads = seconds(steps) - launch;
    }
    return std::max(loads, 1e-9) / steps;
}

std::string rate_text(double bytes, double seconds) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.3g GB/s", bytes / std::max(seconds, 1e-9) / 1e9);
    return buffer;
}

std::string time_text(double seconds) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, seconds < 1e-3 ? "%.3g us" : "%.3g ms",
                  seconds * (seconds < 1e-3 ? 1e6 : 1e3));
    return buffer;
}

} // namespace ferry::detail::litmus
