// SPDX-License-Identifier: Apache-2.0
#include "life.cl.hpp"
#include "life.hpp"

#include <iostream>
#include <span>
#include <utility>

namespace {

// A glider in the upper left corner, as far as the field has room for it.
void add_glider(std::span<life::Cell> cells, const life::Options& options) {
    constexpr life::Cell glider[3][3] = {{0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (std::size_t y = 0; y < 3 && y < options.height; ++y) {
        for (std::size_t x = 0; x < 3 && x < options.width; ++x) {
            cells[y * options.width + x] = glider[y][x];
        }
    }
}

life::Cells shared(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Kernel kernel = ferry::Program{device, kernels::life_cl}.kernel("life");
    const auto grid = ferry::Grid::covering({options.width, options.height});

    life::Cells here = start; // ordinary vectors, no buffers and no copies
    life::Cells there(options.cells());
    const double passes = options.generations + 1.0; // of the device, for each one of the host
    {
        auto now = ferry::share(device, here, ferry::Access::device_updates, {.passes = passes});
        auto next = ferry::share(device, there, ferry::Access::device_updates, {.passes = passes});
        const life::Stopwatch watch;
        for (std::uint32_t i = 0; i < options.generations; ++i) {
            if (i == options.generations / 2) {
                auto cells = now.host(queue, ferry::HostAccess::read_write); // waits for launches
                add_glider(cells.span(), options);
            } // later launches see the writes
            queue.launch(kernel, grid, now, next, options.width, options.height);
            std::swap(now, next);
        }
        queue.finish();
        watch.report(device.id(), options);
        std::cout << now.explain() << "\n";
    } // the last generation is in the program's memory

    const life::Cells& result = options.generations % 2 == 0 ? here : there;
    life::write_picture(result, options);
    return result;
}

life::Cells expected(const life::Options& options, const life::Cells& start) {
    life::Cells cells = start;
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        if (i == options.generations / 2) {
            add_glider(cells, options);
        }
        cells = life::next_generation(cells, options);
    }
    return cells;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, shared, expected);
}
