// SPDX-License-Identifier: Apache-2.0
#include "life.cl.hpp" // made of life.cl by ferry_add_kernels()
#include "life.hpp"

#include <utility>

namespace {

life::Cells naive(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Kernel kernel = ferry::Program{device, kernels::life_cl}.kernel("life");
    ferry::Buffer<life::Cell> now{device, options.cells()};
    ferry::Buffer<life::Cell> next{device, options.cells()};

    queue.copy(start, now);
    const auto grid = ferry::Grid::covering({options.width, options.height});
    const life::Stopwatch watch;
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        queue.launch(kernel, grid, now, next, options.width, options.height);
        std::swap(now, next);
    }
    queue.finish(); // all launches are done
    watch.report(device.id(), options);

    life::Cells result = queue.read(now);
    life::write_picture(result, options);
    return result;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, naive);
}
