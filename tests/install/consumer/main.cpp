// SPDX-License-Identifier: Apache-2.0
#include "scale.cl.hpp"

#include <ferry/ferry.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

namespace {

int run() {
    const ferry::Device device = ferry::default_device();
    ferry::Queue queue{device};
    const ferry::Kernel scale = ferry::Program{device, kernels::scale_cl}.kernel("scale");

    std::vector<float> x(1000, 2.0f);
    ferry::Buffer<float> d{device, x.size()};
    queue.copy(x, d);
    queue.launch(scale, ferry::Grid::covering(x.size(), 64), d, 3.0f, static_cast<std::uint32_t>(x.size()));
    queue.copy(d, x);
    queue.finish();

    for (const float v : x) {
        if (v != 6.0f) {
            std::printf("wrong result %g on %s\n", static_cast<double>(v), device.info().name.c_str());
            return 1;
        }
    }
    std::printf("right on %s (%s)\n", device.info().name.c_str(), device.id().c_str());
    return 0;
}

} // namespace

int main() {
    try {
        return run();
    } catch (const std::exception& error) {
        std::printf("%s\n", error.what());
        return 1;
    }
}
