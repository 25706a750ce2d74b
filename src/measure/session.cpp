// SPDX-License-Identifier: Apache-2.0
#include "measure/session.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <bit>

namespace ferry::detail::memory_tests {
namespace {

// One program, because starting a compiler takes longer than compiling one more kernel. OpenCL C 1.2 has no
// scopes, so count()'s atomic has the driver's widest scope there. pick() is for random and sparse access.
//
// A group has a contiguous part, which its work-items process side by side. This suits GPUs and processors.
// On processors they process a word at a time, with an index as long as size_t, as programs do. Compilers
// vectorise this, and such vectors depend on the alignment to cache lines. GPUs need vectors to have enough
// loads in flight. With strides over all of the memory, the time on processors was dominated by address
// translation: 4 MiB on pages of 4 KiB took twice as long as on pages of 2 MiB. Memory of a pool may have
// large pages by chance, and a caller's memory has none.
//
// chase() knows its next address only after a load. It visits each word of a power of two before it returns
// to one (D. E. Knuth, The Art of Computer Programming 2, 3.2.1.2, theorem A: full period). answer() has two
// sides: each side waits for the other's word. The host's words are in `host`, the kernel's in `device`, far
// enough apart to be in different cache lines everywhere. The run time of answer() is bounded.
constexpr const char* text = R"(
#ifdef VECTORS
typedef uint4 Unit;
#define FOLDED(v) ((v).x ^ (v).y ^ (v).z ^ (v).w)
#define FILLED(value) ((uint4)(value, value + 1u, value + 2u, value + 3u))
#else
typedef uint Unit;
#define FOLDED(v) (v)
#define FILLED(value) (value)
#endif

__kernel void touch(__global uint* data) { data[0] += 1u; }

#define FOR_MINE(i, count)                                                                     \
    const size_t local_count = get_local_size(0);                                              \
    const size_t all_items = get_global_size(0);                                               \
    const size_t mine = ((count) + all_items - 1) / all_items * local_count;                   \
    const size_t from = min(get_group_id(0) * mine, (size_t)(count));                          \
    const size_t to = min(from + mine, (size_t)(count));                                       \
    for (size_t i = from + get_local_id(0); i < to; i += local_count)

__kernel void sum(__global const Unit* data, uint count, __global uint* out) {
    uint total = 0u;
    FOR_MINE(i, count) {
        Unit v = data[i];
        total += FOLDED(v);
    }
    if (total == 0x9e3779b9u) {
        out[0] = total;
    }
}

__kernel void put(__global Unit* data, uint count, uint value) {
    FOR_MINE(i, count) {
        data[i] = FILLED(value);
    }
}

__kernel void bump(__global Unit* data, uint count) {
    FOR_MINE(i, count) {
        data[i] += (Unit)(1u);
    }
}

__kernel void pick(__global const uint* data, uint count, uint step, uint mask, __global uint* out) {
    uint total = 0u;
    FOR_MINE(i, count) {
        total += data[((uint)i * step) & mask];
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

bool is_processor(const Device& device) {
    return device.info().kind == DeviceKind::cpu;
}

BuildOptions options_for(const Device& device) {
    BuildOptions options;
    if (!is_processor(device)) {
        options.defines.emplace_back("VECTORS");
    }
    return options;
}

} // namespace

Session::Session(const Device& of, Time until, std::chrono::milliseconds at_least)
    : whole_end_(until),
      end_(whole_end_),
      device(of),
      queue(of, {.timing = false}),
      program(of, Source::opencl_c(text, "litmus.cl"), options_for(of)),
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
    queue.launch(chase, {.groups = {1}, .local = {1}}, data, 1023U, 0U, 1U, out_);
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

std::uint32_t Session::units(std::size_t words) const {
    return static_cast<std::uint32_t>(is_processor(device) ? words : words / 4);
}

Grid Session::grid_over(std::size_t words) const {
    const DeviceInfo& info = device.info();
    if (!is_processor(device)) {
        const std::size_t local = std::min<std::size_t>(info.max_group_size, 256);
        return {.groups = {std::size_t{std::max(info.compute_units, 1U)} * 16}, .local = {local}};
    }
    // Consecutive work-items process a group's part, which must stay in its own caches. Beyond 8 MiB parts
    // get larger, because the number of groups is limited:
    constexpr std::size_t part = (std::size_t{16} << 10) / sizeof(std::uint32_t);
    // from 65536 work-items on, PoCL compiles each kernel again, for wide grids.
    constexpr std::size_t most = 500;
    constexpr std::size_t enough = 64;
    const std::size_t local = std::min<std::size_t>(info.max_group_size, 128);
    const std::size_t small = std::clamp<std::size_t>(words / local, 1, enough);
    return {.groups = {std::clamp(words / part, small, most)}, .local = {local}};
}

double Session::read_once(const View<std::uint32_t>& data) {
    return best_of(1, [&] {
        queue.launch(sum, grid_over(data.size()), data, units(data.size()), out_);
        queue.finish();
    });
}

double Session::write_once(const View<std::uint32_t>& data) {
    return best_of(1, [&] {
        queue.launch(put, grid_over(data.size()), data, units(data.size()), 11U);
        queue.finish();
    });
}

double Session::load_once(const View<std::uint32_t>& data) {
    const auto mask = static_cast<std::uint32_t>(std::bit_floor(data.size()) - 1);
    const auto seconds = [&](std::uint32_t steps) {
        return best_of(3, [&] {
            // From another place each time, because a cache may hold the previous one.
            const std::uint32_t from = ++chases_ * 0x9e3779b9U & mask;
            queue.launch(chase, {.groups = {1}, .local = {1}}, data, mask, from, steps, out_);
            queue.finish();
        });
    };
    const double launch = seconds(0);
    std::uint32_t steps = 64;
    double loads = seconds(steps) - launch;
    while (loads < 1e-3 && steps < 65536 && time_left()) {
        steps *= 4;
        loads = seconds(steps) - launch;
    }
    return std::max(loads, 0.0) / steps;
}

std::string rate_text(double bytes, double seconds) {
    return significant(bytes / std::max(seconds, 1e-9) / 1e9, 3) + " GB/s";
}

std::string time_text(double seconds) {
    return seconds < 1e-3 ? significant(seconds * 1e6, 3) + " us" : significant(seconds * 1e3, 3) + " ms";
}

} // namespace ferry::detail::memory_tests
