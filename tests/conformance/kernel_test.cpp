// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Grid;

FERRY_TEST("kernel: saxpy on sizes that are no multiple of the group") {
    ferry::Queue queue{device};
    const ferry::Kernel saxpy = kernel(device, "saxpy");
    for (const std::size_t size : odd_sizes) {
        const auto x = random_floats(size);
        auto y = random_floats(size);
        ferry::Buffer<float> dx{device, size};
        ferry::Buffer<float> dy{device, size};
        queue.copy(x, dx);
        queue.copy(y, dy);
        queue.launch(saxpy, Grid::covering(size, 96), 3.0F, dx, dy, static_cast<std::uint32_t>(size));
        auto seen = poison<float>(size);
        queue.copy_and_wait(dy, seen);
        for (std::size_t i = 0; i < size; ++i) {
            y[i] += 3.0F * x[i];
        }
        check_same(seen, y);
    }
}

FERRY_TEST("kernel: groups and work-items in one, two and three dimensions") {
    ferry::Queue queue{device};
    const ferry::Kernel shape = kernel(device, "shape");
    const std::vector<Grid> grids{{1, 1},
                                  {7, 5},
                                  {{3, 4}, {2, 8}},
                                  {{2, 3, 4}, {4, 2, 3}},
                                  {{1, 1, 5}, {1, 1, 3}},
                                  {{5, 1, 2}, {1, 7}},
                                  {{1, 13}, {1, 1}},
                                  {{65, 2}, {3, 5, 2}}};
    for (const Grid& grid : grids) {
        const std::size_t width = grid.groups.x * grid.local.x;
        const std::size_t height = grid.groups.y * grid.local.y;
        const std::size_t depth = grid.groups.z * grid.local.z;
        ferry::Buffer<std::uint32_t> out{device, 6 * width * height * depth};
        queue.fill(out, 0xa5a5a5a5U);
        queue.launch(shape, grid, out);
        std::vector<std::uint32_t> wanted;
        for (std::size_t z = 0; z < depth; ++z) {
            for (std::size_t y = 0; y < height; ++y) {
                for (std::size_t x = 0; x < width; ++x) {
                    for (const std::size_t v : {x % grid.local.x, y % grid.local.y, z % grid.local.z,
                                                x / grid.local.x, y / grid.local.y, z / grid.local.z}) {
                        wanted.push_back(static_cast<std::uint32_t>(v));
                    }
                }
            }
        }
        INFO("grid ", width, " x ", height, " x ", depth);
        check_same(queue.read(out), wanted);
    }
}

FERRY_TEST("kernel: local memory given with the launch") {
    ferry::Queue queue{device};
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    for (const std::size_t local : {1U, 2U, 7U, 32U, 61U, 64U}) {
        const std::size_t groups = 1 + random_below(40);
        const auto in = random_values<std::uint32_t>(groups * local);
        ferry::Buffer<std::uint32_t> din{device, in.size()};
        ferry::Buffer<std::uint32_t> out{device, in.size()};
        queue.copy(in, din);
        queue.launch(reverse, {groups, local}, din, out, ferry::local<std::uint32_t>(local));
        std::vector<std::uint32_t> wanted = in;
        for (std::size_t g = 0; g < groups; ++g) {
            const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(g * local);
            std::reverse(first, first + static_cast<std::ptrdiff_t>(local));
        }
        check_same(queue.read(out), wanted);
    }
}

FERRY_TEST("kernel: two local arrays do not overlap, whatever their sizes") {
    ferry::Queue queue{device};
    const ferry::Kernel two = kernel(device, "two_locals");
    for (const std::uint32_t local : {1U, 3U, 17U, 33U, 64U}) {
        ferry::Buffer<std::uint32_t> out{device, 4 * local};
        queue.launch(two, {4, local}, out, ferry::local<std::uint8_t>(local),
                     ferry::local<std::uint32_t>(local));
        std::vector<std::uint32_t> wanted(4 * local);
        for (std::uint32_t i = 0; i < wanted.size(); ++i) {
            wanted[i] = two_locals_result(i % local, local);
        }
        INFO("groups of ", local);
        check_same(queue.read(out), wanted);
    }
}

FERRY_TEST("kernel: static local memory") {
    ferry::Queue queue{device};
    const auto in = random_values<std::uint32_t>(64 * 33);
    ferry::Buffer<std::uint32_t> din{device, in.size()};
    ferry::Buffer<std::uint32_t> out{device, 33};
    queue.copy(in, din);
    queue.launch(kernel(device, "group_sum"), {33, 64}, din, out);
    std::vector<std::uint32_t> wanted(33, 0);
    for (std::size_t i = 0; i < in.size(); ++i) {
        wanted[i / 64] += in[i];
    }
    check_same(queue.read(out), wanted);
}

FERRY_TEST("kernel: atomics across groups") {
    ferry::Queue queue{device};
    const std::uint32_t size = 50'021;
    const auto in = random_values<std::uint32_t>(size);
    ferry::Buffer<std::uint32_t> din{device, size};
    ferry::Buffer<std::uint32_t> bins{device, 16};
    queue.copy(in, din);
    queue.fill(bins, 0U);
    queue.launch(kernel(device, "histogram"), Grid::covering(size, 64), din, bins, size);
    std::vector<std::uint32_t> wanted(16, 0);
    for (const std::uint32_t v : in) {
        ++wanted[v % 16];
    }
    check_same(queue.read(bins), wanted);
}

FERRY_TEST("kernel: double precision") {
    const ferry::Program doubles{device, double_sources()};
    ferry::Queue queue{device};
    std::vector<double> data{1.0 / 3.0, 1e300, -0.0, 12345.678901234567};
    ferry::Buffer<double> buffer{device, data.size()};
    queue.copy(data, buffer);
    queue.launch(doubles.kernel("twice"), {1, 4}, buffer, 4U);
    auto wanted = data;
    for (double& v : wanted) {
        v *= 2.0;
    }
    check_same(queue.read(buffer), wanted);
}

FERRY_TEST("kernel: half precision") {
    const ferry::Program halves{device, half_sources()};
    ferry::Queue queue{device};
    // In half precision, 2048 + 1 rounds to even, 1 + 2^-10 is the next number after 1, 1 + 2^-11 rounds to
    // 1, and 65504 + 32 is infinite.
    struct Half {
        std::uint16_t bits;
    };
    const std::vector<Half> a{{0x6800}, {0x3C00}, {0x3C00}, {0x7BFF}, {0xC000}, {0x3555}};
    const std::vector<Half> b{{0x3C00}, {0x1400}, {0x1000}, {0x5000}, {0x3800}, {0x3555}};
    const std::vector<Half> wanted{{0x6800}, {0x3C01}, {0x3C00}, {0x7C00}, {0xBE00}, {0x3955}};
    ferry::Buffer<Half> da{device, a.size()};
    ferry::Buffer<Half> db{device, b.size()};
    ferry::Buffer<Half> out{device, a.size()};
    queue.copy(a, da);
    queue.copy(b, db);
    queue.launch(halves.kernel("half_sum"), {1, 6}, da, db, out, 6U);
    check_same(queue.read(out), wanted);
}

FERRY_TEST("kernel: 64-bit atomics across groups") {
    const ferry::Program program{device, ferry::Source::opencl_c(R"(
        #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
        __kernel void sum(__global ulong* total, uint n) {
            uint i = get_global_id(0);
            if (i < n) atom_add(total, ((ulong)i << 20) + 1);
        })",
                                                                 "sum.cl")};
    ferry::Queue queue{device};
    const std::uint32_t size = 50'021;
    ferry::Buffer<std::uint64_t> total{device, 1};
    queue.fill(total, std::uint64_t{0});
    queue.launch(program.kernel("sum"), Grid::covering(size, 64), total, size);
    const std::uint64_t n = size;
    check_same(queue.read(total), std::vector<std::uint64_t>{(n * (n - 1) / 2 << 20) + n});
}

FERRY_TEST("kernel: sub-groups are as wide as the device says") {
    const ferry::Program program{device, ferry::Source::opencl_c(R"(
        __kernel void width(__global uint* out) {
        #ifdef FERRY_HAS_SUBGROUPS
            out[get_global_id(0)] = get_max_sub_group_size();
        #else
            out[get_global_id(0)] = 0;
        #endif
        })",
                                                                 "width.cl")};
    ferry::Queue queue{device};
    ferry::Buffer<std::uint32_t> out{device, 128};
    queue.launch(program.kernel("width"), {2, 64}, out);
    const std::vector<std::uint32_t> seen = queue.read(out);
    const std::uint32_t told = device.info().sub_group_width;
    if (device.backend() != ferry::Backend::opencl) {
        REQUIRE(told != 0);
        REQUIRE(seen.front() != 0);
    }
    // An OpenCL driver may report a size without having the functions, or may choose among several widths.
    if (told != 0 && seen.front() != 0) {
        check_same(seen, std::vector<std::uint32_t>(seen.size(), told));
    }
}

FERRY_TEST("kernel: the values of arguments are captured with the launch") {
    ferry::Queue queue{device};
    const ferry::Kernel iota = kernel(device, "iota");
    std::vector<ferry::Buffer<std::uint32_t>> outs;
    std::uint32_t base = 0;
    for (; base < 100; ++base) {
        outs.emplace_back(device, 8);
        queue.launch(iota, {1, 8}, outs.back(), 8U, base);
    }
    base = 0xffffffff;
    for (std::uint32_t i = 0; i < 100; ++i) {
        CHECK(queue.read(outs[i]).at(3) == i + 3);
    }
}

FERRY_TEST("kernel: no arguments, and a million groups") {
    ferry::Queue queue{device};
    const ferry::Kernel noop = kernel(device, "noop");
    CHECK(noop.parameters().empty());
    queue.launch(noop, {1, 1});
    queue.launch(noop, {3, 7});
    const std::uint64_t most = device.info().max_groups[0];
    const auto size =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(most != 0 ? most : 1'000'003, 1'000'003));
    ferry::Buffer<std::uint32_t> out{device, size};
    queue.launch(kernel(device, "iota"), {size, 1}, out, size, 0U);
    const auto seen = queue.read(out);
    CHECK(seen.front() == 0);
    CHECK(seen.back() == size - 1);
}

FERRY_TEST("kernel: the largest group it takes works, a larger one is refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const ferry::Kernel iota = kernel(device, "iota");
    const std::size_t own = iota.info().max_group_size;
    const std::size_t device_limit = std::min(device.info().max_group_size, device.info().max_local[0]);
    const std::size_t limit =
        own != 0 && !iota.info().max_group_size_is_hint ? std::min(own, device_limit) : device_limit;
    REQUIRE(limit > 0);
    ferry::Buffer<std::uint32_t> out{device, 2 * limit};
    queue.launch(iota, {2, limit}, out, static_cast<std::uint32_t>(2 * limit), 0U);
    CHECK(queue.read(out).back() == 2 * limit - 1);
    expect_error(Code::invalid_argument, {"iota", std::to_string(limit + 1), std::to_string(limit)}, [&] {
        queue.launch(iota, {1, limit + 1}, out, 1U, 0U);
    });
    expect_error(Code::invalid_argument, {"iota"}, [&] { queue.launch(iota, {1, {limit, 2}}, out, 1U, 0U); });
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    expect_error(Code::invalid_argument, {"iota"}, [&] {
        queue.launch(iota, {1, {huge, huge, huge}}, out, 1U, 0U);
    });
}

FERRY_TEST("kernel: zero groups or items are refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const ferry::Kernel noop = kernel(device, "noop");
    const std::vector<Grid> grids{{0, 1},         {1, 0},         {{1, 0}, 1},
                                  {{1, 1, 0}, 1}, {1, {1, 1, 0}}, Grid::covering(0, 64)};
    for (const Grid& grid : grids) {
        expect_error(Code::invalid_argument, {"noop", "0"}, [&] { queue.launch(noop, grid); });
    }
}

FERRY_TEST("kernel: more groups than fit are refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const ferry::Kernel noop = kernel(device, "noop");
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    expect_error(Code::invalid_argument, {"noop", std::to_string(huge)}, [&] {
        queue.launch(noop, {huge, 2});
    });
    const std::uint64_t limit = device.info().max_groups[1];
    if (limit != 0 && limit < huge) {
        expect_error(Code::invalid_argument, {"noop", std::to_string(limit + 1), std::to_string(limit)}, [&] {
            queue.launch(noop, {{1, static_cast<std::size_t>(limit) + 1}, 1});
        });
    }
}

FERRY_TEST("kernel: more work-items than 64 bits count are refused") {
    const Unchanged unchanged{device};
    const auto& limits = device.info();
    const auto most = [&](std::size_t d) {
        const std::uint64_t limit = limits.max_groups[d];
        return static_cast<std::size_t>(limit != 0 ? std::min<std::uint64_t>(limit, 0x7fffffff) : 0x7fffffff);
    };
    // Each dimension alone is within its limit.
    const Grid grid{{most(0), most(1), most(2)}, {1, 4, 8}};
    const double items =
        32.0 * static_cast<double>(most(0)) * static_cast<double>(most(1)) * static_cast<double>(most(2));
    if (items < 0x1p65) {
        return; // the device allows too few groups for such a launch
    }
    const std::vector<std::string> numbers{std::to_string(most(0)) + "x" + std::to_string(4 * most(1)) + "x" +
                                               std::to_string(8 * most(2)) + " work-items",
                                           std::to_string(std::numeric_limits<std::size_t>::max())};
    ferry::Queue queue{device};
    const ferry::Kernel noop = kernel(device, "noop");
    const auto refused = [&](const std::function<void()>& call,
                             ferry::SourceLocation here = ferry::SourceLocation::current()) {
        expect_error(Code::invalid_argument, {"noop", numbers[0], numbers[1]}, call, here);
    };
    refused([&] { queue.launch(noop, grid); });
    // 2^64 work-items wrap to 0 in 64 bits.
    if (most(1) >= 65536 && most(2) >= 65536) {
        const Grid wrapped{{std::size_t{1} << 27, 65536, 65536}, {1, 4, 8}};
        expect_error(Code::invalid_argument, {"noop", "134217728x262144x524288"},
                     [&] { queue.launch(noop, wrapped); });
    }
    ferry::Step step;
    ferry::Recording recording{device, [&](ferry::Recorder& record) {
                                   refused([&] { record.launch(noop, grid); });
                                   step = record.launch(noop, {1, 1});
                               }};
    refused([&] { recording.set_grid(step, grid); });
    queue.replay(recording);
    queue.finish();
}

FERRY_TEST("kernel: more local memory than the device has is refused") {
    const Unchanged unchanged{device};
    ferry::Queue queue{device};
    const std::size_t limit = device.info().local_memory;
    REQUIRE(limit > 0);
    ferry::Buffer<std::uint32_t> data{device, 64};
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    expect_error(Code::invalid_argument, {"reverse_groups", std::to_string(limit)}, [&] {
        queue.launch(reverse, {1, 64}, data, data, ferry::local<std::uint32_t>(limit / 4 + 64));
    });
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    expect_error(Code::invalid_argument, {"reverse_groups"}, [&] {
        queue.launch(reverse, {1, 64}, data, data, ferry::local<std::uint32_t>(huge));
    });
    expect_error(Code::invalid_argument, {"reverse_groups"}, [&] {
        queue.launch(reverse, {1, 64}, data, data, ferry::local<std::uint32_t>(0));
    });
}

FERRY_TEST("kernel: all of the local memory can be used") {
    ferry::Queue queue{device};
    const std::size_t limit = device.info().local_memory;
    const auto in = random_values<std::uint32_t>(64);
    ferry::Buffer<std::uint32_t> din{device, 64};
    ferry::Buffer<std::uint32_t> out{device, 64};
    queue.copy(in, din);
    const ferry::Kernel reverse = kernel(device, "reverse_groups");
    // NVIDIA's OpenCL reserves a byte of it, and rounds local arguments up to multiples of 16.
    const std::size_t room = (limit - reverse.info().local_bytes) / 16 * 16;
    queue.launch(reverse, {1, 64}, din, out, ferry::local<std::uint32_t>(room / 4));
    auto wanted = in;
    std::reverse(wanted.begin(), wanted.end());
    check_same(queue.read(out), wanted);
}
