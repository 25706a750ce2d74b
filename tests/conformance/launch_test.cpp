// SPDX-License-Identifier: Apache-2.0
// Grids whose sizes the launch chooses, incomplete grids, and argument lists that are known only at run time.
#include "check.hpp"
#include "devices.hpp"
#include "kernels.hpp"
#include "random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

using namespace conformance;
using ferry::Code;
using ferry::Dim3;
using ferry::Grid;

namespace {

std::size_t volume(const Dim3& d) {
    return d.x * d.y * d.z;
}

/// Checks that the grid covers the work-items with less than one extra group, and that the device and the
/// kernel support the group size.
void check_covers(const ferry::Kernel& kernel, const Dim3& items) {
    const Grid grid = kernel.covering(items);
    const ferry::DeviceInfo& device = kernel.device().info();
    INFO(items.x, " x ", items.y, " x ", items.z, " in groups of ", grid.local.x, " x ", grid.local.y, " x ",
         grid.local.z);
    CHECK(!grid.has_items());
    const std::size_t wanted[] = {items.x, items.y, items.z};
    const std::size_t groups[] = {grid.groups.x, grid.groups.y, grid.groups.z};
    const std::size_t local[] = {grid.local.x, grid.local.y, grid.local.z};
    for (int d = 0; d < 3; ++d) {
        CHECK(local[d] >= 1);
        CHECK(local[d] <= std::max<std::size_t>(wanted[d], 1));
        CHECK(groups[d] * local[d] >= wanted[d]);
        CHECK(groups[d] * local[d] < wanted[d] + local[d]);
        CHECK((device.max_local[d] == 0 || local[d] <= device.max_local[d]));
    }
    const std::size_t most =
        kernel.info().max_group_size != 0 ? kernel.info().max_group_size : device.max_group_size;
    CHECK((most == 0 || volume(grid.local) <= most));
}

} // namespace

FERRY_TEST("launch: a grid that covers items has groups that the device takes") {
    const ferry::Kernel kernel = conformance::kernel(device, "saxpy");
    for (const std::size_t size : odd_sizes) {
        check_covers(kernel, size);
        check_covers(kernel, {1, size});
        check_covers(kernel, {3, 5, size});
    }
    for (int i = 0; i < 50; ++i) {
        check_covers(kernel, {1 + random_below(2000), 1 + random_below(300), 1 + random_below(70)});
    }
}

FERRY_TEST("launch: Grid::covering(items) launches the grid of Kernel::covering()") {
    ferry::Queue queue{device};
    const ferry::Kernel add = kernel(device, "add");
    const ferry::Kernel shape = kernel(device, "shape");
    for (const std::size_t size : odd_sizes) {
        const auto words = random_values<std::uint32_t>(size);
        auto wanted = words;
        ferry::Buffer<std::uint32_t> data{device, size};
        queue.copy(words, data);
        queue.launch(add, Grid::covering(size), data, static_cast<std::uint32_t>(size), 7U);
        ferry::Recording recording(device, [&](ferry::Recorder& recorder) {
            recorder.launch(add, Grid::covering(size), data, static_cast<std::uint32_t>(size), 9U);
        });
        queue.replay(recording);
        for (std::uint32_t& word : wanted) {
            word += 16;
        }
        check_same(queue.read(data), wanted);
    }
    ferry::Buffer<std::uint32_t> one{device, 1};
    expect_error(Code::invalid_argument, {"add", "at least 1 group"},
                 [&] { queue.launch(add, Grid::covering(0), one, 0U, 7U); });
    const Dim3 items{1 + random_below(60), 1 + random_below(40), 1 + random_below(9)};
    const Grid grid = shape.covering(items);
    const std::size_t cells = 6 * volume({grid.groups.x * grid.local.x, grid.groups.y * grid.local.y,
                                          grid.groups.z * grid.local.z});
    ferry::Buffer<std::uint32_t> chosen{device, cells};
    ferry::Buffer<std::uint32_t> given{device, cells};
    queue.fill(chosen, 0xa5a5a5a5U);
    queue.launch(shape, Grid::covering(items), chosen);
    queue.launch(shape, grid, given);
    check_same(queue.read(chosen), queue.read(given));
}

FERRY_TEST("launch: more than 65535 groups in one dimension, and 65535 in the others") {
    ferry::Queue queue{device};
    const ferry::Kernel shape = kernel(device, "shape");
    const std::size_t many = 65'536 + random_below(3 * 65'535);
    for (const Dim3 groups : {Dim3{65'535}, Dim3{65'536}, Dim3{many}, Dim3{2, 65'535}, Dim3{1, 3, 65'535}}) {
        CAPTURE(groups.x);
        if (groups.x > device.info().max_groups[0]) {
            continue; // The strict host device, for one.
        }
        ferry::Buffer<std::uint32_t> out{device, 6 * volume(groups)};
        queue.fill(out, 0xa5a5a5a5U);
        queue.launch(shape, {groups, 1}, out);
        std::vector<std::uint32_t> wanted;
        wanted.reserve(out.size());
        for (std::uint32_t z = 0; z < groups.z; ++z) {
            for (std::uint32_t y = 0; y < groups.y; ++y) {
                for (std::uint32_t x = 0; x < groups.x; ++x) {
                    wanted.insert(wanted.end(), {0, 0, 0, x, y, z});
                }
            }
        }
        check_same(queue.read(out), wanted);
        queue.fill(out, 0x5a5a5a5aU);
        ferry::Recording recording(device, [&](ferry::Recorder& recorder) {
            recorder.launch(shape, {groups, 1}, out);
        });
        queue.replay(recording);
        check_same(queue.read(out), wanted);
    }
}

FERRY_TEST("launch: a grid with only groups, only a local size, or items in addition is refused") {
    ferry::Queue queue{device};
    const ferry::Kernel add = kernel(device, "add");
    ferry::Buffer<std::uint32_t> data{device, 64};
    queue.fill(data, 1U);
    expect_error(Code::invalid_argument, {"the grid has no local size"},
                 [&] { queue.launch(add, {.groups = 64}, data, 64U, 1U); });
    expect_error(Code::invalid_argument, {"the grid has no local size"},
                 [&] { queue.launch(add, {64}, data, 64U, 1U); });
    expect_error(Code::invalid_argument, {"the grid has no groups"},
                 [&] { queue.launch(add, {.local = 64}, data, 64U, 1U); });
    expect_error(Code::invalid_argument, {"the grid has no groups"},
                 [&] { queue.launch(add, {}, data, 64U, 1U); });
    expect_error(Code::invalid_argument, {"set either Grid::items, or Grid::groups and Grid::local"},
                 [&] { queue.launch(add, {.groups = 1, .local = 64, .items = 64}, data, 64U, 1U); });
    check_same(queue.read(data), std::vector<std::uint32_t>(64, 1));
}

FERRY_TEST("launch: arguments in a list are those of a call") {
    ferry::Queue queue{device};
    const auto in = random_values<std::uint32_t>(61 * 7);
    ferry::Buffer<std::uint32_t> from{device, in.size()};
    ferry::Buffer<std::uint32_t> to{device, in.size()};
    queue.copy(in, from);
    std::vector<ferry::Argument> list;
    list.emplace_back(from);
    list.emplace_back(to.view());
    list.emplace_back(ferry::local<std::uint32_t>(61));
    queue.launch(kernel(device, "reverse_groups"), {7, 61}, list);
    std::vector<std::uint32_t> wanted = in;
    for (std::size_t g = 0; g < 7; ++g) {
        const auto first = wanted.begin() + static_cast<std::ptrdiff_t>(g * 61);
        std::reverse(first, first + 61);
    }
    check_same(queue.read(to), wanted);

    // The list has copies of the values, so their sources may be gone.
    std::vector<ferry::Argument> values{to};
    const auto base = random_values<std::uint32_t>(1)[0];
    {
        const std::uint32_t count = 200;
        std::uint32_t changed = base;
        values.emplace_back(count);
        values.emplace_back(changed);
        changed = ~changed;
    }
    const std::vector<ferry::Argument> copies = values;
    values.clear();
    ferry::Recording recording(device, [&](ferry::Recorder& recorder) {
        recorder.launch(kernel(device, "iota"), {4, 50}, copies);
    });
    queue.replay(recording);
    std::iota(wanted.begin(), wanted.begin() + 200, base);
    check_same(queue.read(to), wanted);
    expect_error(Code::invalid_argument, {"iota", "3", "2"}, [&] {
        queue.launch(kernel(device, "iota"), {4, 50}, std::span(copies).first(2));
    });
}

FERRY_TEST("launch: a share in a list of arguments is prepared, and a recording refuses it") {
    ferry::Queue queue{device};
    auto words = random_values<std::uint32_t>(5003);
    auto wanted = words;
    const ferry::Kernel add = kernel(device, "add");
    ferry::Buffer<std::uint32_t> spare{device, 64};
    {
        auto shared = ferry::share(device, words, ferry::Access::device_updates);
        const std::vector<ferry::Argument> list{shared, std::uint32_t{5003}, std::uint32_t{11}};
        queue.launch(add, Grid::covering(words.size()), list);
        ferry::Recording unused(device, [&](ferry::Recorder& recorder) {
            expect_error(Code::unsupported, {"Argument 0", "add", "share"}, [&] {
                recorder.launch(add, {1, 64}, list);
            });
            recorder.fill(spare, 0U);
        });
        shared.end();
    }
    for (std::uint32_t& word : wanted) {
        word += 11;
    }
    check_same(words, wanted);
}
