// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"
#include "stages.cl.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace {

constexpr std::size_t generations = 8;

std::uint32_t advanced(std::uint32_t x) {
    for (int r = 0; r < 32; ++r) {
        x = x * 1664525u + 1013904223u;
    }
    return x;
}
std::uint32_t digested(std::uint32_t digest, std::uint32_t value) {
    return std::rotl(digest, 5) ^ value;
}

struct Times {
    ferry::Event begin;
    ferry::Event end;
};

std::string text(const std::optional<std::chrono::nanoseconds>& time) {
    return time ? fmt::format("{:.3f} ms", static_cast<double>(time->count()) / 1e6) : "not known";
}

void events(sample::Session& session) {
    const ferry::Device& device = session.device;
    const std::vector<std::uint32_t> data = session.random_values<std::uint32_t>(session.size);
    const auto count = static_cast<std::uint32_t>(data.size());
    const ferry::Grid grid =
        ferry::Grid::covering(count, std::min<std::size_t>(256, device.info().max_group_size));

    const ferry::Program program{device, kernels::stages_cl};
    const ferry::Kernel advance_kernel = program.kernel("advance");
    const ferry::Kernel digest_kernel = program.kernel("digest");

    // One queue makes generations, and the other digests them. Two buffers take turns, so that the next
    // generation is made while the last one is digested. Events keep each queue from running ahead of the
    // other.
    ferry::Queue maker{device};
    ferry::Queue digester{device};
    std::array<ferry::Buffer<std::uint32_t>, 2> values{ferry::Buffer<std::uint32_t>{device, count},
                                                       ferry::Buffer<std::uint32_t>{device, count}};
    std::array<ferry::Event, 2> digested_event; // a default-constructed event is complete
    ferry::Buffer<std::uint32_t> digests{device, count};
    std::array<Times, generations> making;
    std::array<Times, generations> digesting;

    maker.copy(data, values[0]);
    digester.fill(digests, 0);
    for (std::size_t g = 0; g < generations; ++g) {
        ferry::Buffer<std::uint32_t>& from = values[g % 2];
        ferry::Buffer<std::uint32_t>& to = values[(g + 1) % 2];

        maker.wait(digested_event[(g + 1) % 2]); // the digester has read the former contents of `to`
        making[g].begin = maker.record();
        maker.launch(advance_kernel, grid, from, to, count);
        making[g].end = maker.record();

        digester.wait(making[g].end);
        digesting[g].begin = digester.record();
        digester.launch(digest_kernel, grid, to, digests, count);
        digesting[g].end = digester.record();
        digested_event[(g + 1) % 2] = digesting[g].end;
    }
    const std::vector<std::uint32_t> result = digester.read(digests);
    maker.finish();

    for (std::size_t g = 0; g < generations; ++g) {
        session.say("generation {}: made in {}, digested in {}", g + 1,
                    text(elapsed(making[g].begin, making[g].end)),
                    text(elapsed(digesting[g].begin, digesting[g].end)));
    }
    const auto total = elapsed(making.front().begin, digesting.back().end);
    session.say("from the first to the last: {}", text(total));
    if (total) {
        session.measured("device_ms", static_cast<double>(total->count()) / 1e6);
    }

    std::vector<std::uint32_t> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t value = data[i];
        for (std::size_t g = 0; g < generations; ++g) {
            value = advanced(value);
            expected[i] = digested(expected[i], value);
        }
    }
    sample::expect_equal(result, expected, "digests");
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"03_events", "Two queues whose work depends on each other's", 1 << 18, "values"};
    return app.run(argc, argv, events);
}
