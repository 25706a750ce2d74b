// SPDX-License-Identifier: Apache-2.0
#include "life.cl.hpp"
#include "life.hpp"

#include <iostream>
#include <utility>

namespace {

constexpr std::uint32_t recorded = 16; // generations in a recording: an even number

life::Cells recording(const life::Options& options, const life::Cells& start) {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Kernel kernel = ferry::Program{device, kernels::life_cl}.kernel("life");
    ferry::Buffer<life::Cell> now{device, options.cells()};
    ferry::Buffer<life::Cell> next{device, options.cells()};
    const auto grid = ferry::Grid::covering({options.width, options.height});

    const ferry::Recording rounds{
        device, [&](ferry::Recorder& record) {
            for (std::uint32_t i = 0; i < recorded; i += 2) {
                record.launch(kernel, grid, now, next, options.width, options.height);
                record.launch(kernel, grid, next, now, options.width, options.height);
            }
        }};
    std::cout << rounds.explain() << "\n";

    const auto generations = [&](std::uint32_t count) {
        for (std::uint32_t i = 0; i < count; ++i) {
            queue.launch(kernel, grid, now, next, options.width, options.height);
            std::swap(now, next);
        }
    };
    queue.copy(start, now);
    queue.finish();
    {
        const ferry::Range range("replayed");
        const life::Stopwatch watch;
        for (std::uint32_t i = 0; i < options.generations / recorded; ++i) {
            queue.replay(rounds);
        }
        generations(options.generations % recorded); // the rest, one by one
        queue.finish();
        watch.report(device.id() + ", replayed", options);
    }
    life::Cells result = queue.read(now);

    queue.copy(start, now); // the same again without the recording
    queue.finish();
    {
        const ferry::Range range("one by one");
        const life::Stopwatch watch;
        generations(options.generations);
        queue.finish();
        watch.report(device.id() + ", one by one", options);
    }
    life::expect_equal(queue.read(now), result, options);

    life::write_picture(result, options);
    return result;
}

} // namespace

int main(int argc, char** argv) {
    return life::play(argc, argv, recording);
}
