// SPDX-License-Identifier: Apache-2.0
#include "life.hpp"
#include "tiles.cl.hpp"

#include <utility>

namespace {

constexpr std::size_t tile_width = 16; // the same as in tiles.cl
constexpr std::size_t tile_height = 8;

// The groups, and in red the cells that one of them reads.
std::vector<life::Band> groups(const life::Options& options) {
    std::vector<life::Band> all;
    for (std::size_t y = 0; y < options.height; y += tile_height) {
        for (std::size_t x = 0; x < options.width; x += tile_width) {
            const bool dark = (x / tile_width + y / tile_height) % 2 != 0;
            all.push_back({x, y, tile_width, tile_height, dark ? "#dbe4f5" : "#f6f7f9"});
        }
    }
    if (options.width > 3 * tile_width && options.height > 3 * tile_height) {
        all.push_back({2 * tile_width - 1, 2 * tile_height - 1, tile_width + 2, tile_height + 2,
                       "#d0312d", false});
    }
    return all;
}

life::Cells local_memory(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Kernel kernel = ferry::Program{device, kernels::tiles_cl}.kernel("life_tiles");
    ferry::Buffer<life::Cell> now{device, options.cells()};
    ferry::Buffer<life::Cell> next{device, options.cells()};

    queue.copy(start, now);
    const auto grid =
        ferry::Grid::covering({options.width, options.height}, {tile_width, tile_height});
    const life::Stopwatch watch;
    for (std::uint32_t i = 0; i < options.generations; ++i) {
        queue.launch(kernel, grid, now, next, options.width, options.height);
        std::swap(now, next);
    }
    queue.finish();
    watch.report(device.id(), options);

    life::Cells result = queue.read(now);
    life::write_picture(result, options, groups(options));
    return result;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, local_memory);
}
