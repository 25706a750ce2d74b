// SPDX-License-Identifier: Apache-2.0
#include "2d.cl.hpp"
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
    // Values that the program's own compiler options would change.
    std::vector<std::int32_t> bits{-1, 0x7fc00000};
    ferry::Buffer<std::int32_t> in{device, bits.size()};
    ferry::Buffer<std::int32_t> out{device, 1};
    queue.copy(bits, in);
    queue.launch(ferry::Program{device, kernels::_2d_cl}.kernel("look"), {1, 1}, in, out);
    if (const int seen = queue.read(out).at(0); seen != 3) {
        std::printf("the kernel's own meaning is changed: %d on %s\n", seen, device.info().name.c_str());
        return 1;
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
