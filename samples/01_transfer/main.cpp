// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"
#include "transfer.cl.hpp"

#include <algorithm>

namespace {

void transfer(sample::Session& session) {
    const ferry::Device& device = session.device;
    const std::vector<std::uint8_t> data = session.random_values<std::uint8_t>(session.size);
    const auto count = static_cast<std::uint32_t>(data.size());

    ferry::Queue queue{device};
    const ferry::Program program{device, kernels::transfer_cl};
    const ferry::Kernel kernel = program.kernel("invert");

    ferry::Buffer<std::uint8_t> in{device, data.size()};
    ferry::Buffer<std::uint8_t> out{device, data.size()};

    const std::size_t group = std::min<std::size_t>(256, device.info().max_group_size);
    queue.copy(data, in);                                                      // up
    queue.launch(kernel, ferry::Grid::covering(count, group), in, out, count); // kernel
    const std::vector<std::uint8_t> result = queue.read(out);                  // down; waits

    const std::size_t shown = std::min<std::size_t>(16, data.size());
    session.say("up    {:02x}", fmt::join(std::span{data}.first(shown), " "));
    session.say("down  {:02x}", fmt::join(std::span{result}.first(shown), " "));

    std::vector<std::uint8_t> expected(data);
    for (std::uint8_t& byte : expected) {
        byte = static_cast<std::uint8_t>(~byte);
    }
    sample::expect_equal(result, expected, "inverted bytes");
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"01_transfer", "Bytes up to a device, through a kernel, and down again", 1 << 20,
                    "bytes"};
    return app.run(argc, argv, transfer);
}
