// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"
#include "progress.hpp"
#include "sample.hpp"

#include <algorithm>
#include <bit>

namespace {

using Byte = std::uint8_t;

constexpr std::size_t smallest = 4 << 10;

// The median of several timings of `copy`, in GB/s. Small copies are repeated more often than large ones.
template <class Copy>
double bandwidth(std::size_t bytes, Copy copy) {
    const std::size_t repetitions = std::clamp<std::size_t>((std::size_t{64} << 20) / bytes, 3, 25);
    copy();
    std::vector<double> seconds(repetitions);
    for (double& time : seconds) {
        const sample::Stopwatch watch;
        copy();
        time = watch.seconds();
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(repetitions / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return static_cast<double>(bytes) / *middle / 1e9;
}

// One kind of host memory: the bytes copied up and down, and both speeds.
struct HostMemory {
    std::string name;
    std::span<Byte> up;
    std::span<Byte> down;
    plot::Line up_line{name + ", up", {}};
    plot::Line down_line{name + ", down", {}};
};

void measure(sample::Session& session, ferry::Queue& queue, ferry::Buffer<Byte>& memory, HostMemory& host,
             std::size_t bytes) {
    const std::span<Byte> up = host.up.first(bytes);
    const std::span<Byte> down = host.down.first(bytes);
    const auto stamp = static_cast<Byte>(session.random());
    up.front() = up.back() = stamp; // distinguishes the bytes of this copy from those of the last one
    const double up_rate = bandwidth(bytes, [&] { queue.copy_and_wait(up, memory.first(bytes)); });
    const double down_rate = bandwidth(bytes, [&] { queue.copy_and_wait(memory.first(bytes), down); });
    sample::expect_equal(
        down, up,
        fmt::format("{} copied by {} memory", plot::bytes_text(static_cast<double>(bytes)), host.name));
    host.up_line.points.push_back({static_cast<double>(bytes), up_rate});
    host.down_line.points.push_back({static_cast<double>(bytes), down_rate});
    session.measured(fmt::format("{}_up_{}_gb_s", host.name, bytes), up_rate);
    session.measured(fmt::format("{}_down_{}_gb_s", host.name, bytes), down_rate);
}

void pinned(sample::Session& session) {
    const ferry::Device& device = session.device;
    const bool processor = device.info().kind == ferry::DeviceKind::cpu;
    const std::size_t wanted = session.size != 0 ? session.size : std::size_t{processor ? 16u : 256u} << 20;
    const std::size_t largest = std::bit_floor(std::max(wanted, smallest));

    const std::vector<std::uint64_t> random = session.random_values<std::uint64_t>(largest / 8);
    const Byte* data = reinterpret_cast<const Byte*>(random.data());
    ferry::Queue queue{device};
    ferry::Buffer<Byte> memory{device, largest};

    std::vector<Byte> pageable_up(data, data + largest);
    std::vector<Byte> pageable_down(largest);
    std::vector<HostMemory> kinds{{"pageable", pageable_up, pageable_down}};
    ferry::Buffer<Byte> pinned_up;
    ferry::Buffer<Byte> pinned_down;
    if (device.has(ferry::MemoryKind::host)) {
        pinned_up = {device, largest, ferry::MemoryKind::host};
        pinned_down = {device, largest, ferry::MemoryKind::host};
        std::copy(data, data + largest, pinned_up.span().begin());
        std::fill(pinned_down.span().begin(), pinned_down.span().end(), Byte{0});
        kinds.push_back({"pinned", pinned_up.span(), pinned_down.span()});
    } else {
        session.say("{} has no pinned memory; only pageable memory is measured", device.id());
    }

    std::vector<std::size_t> sizes;
    for (std::size_t bytes = smallest; bytes <= largest; bytes *= 4) {
        sizes.push_back(bytes);
    }
    if (sizes.back() != largest) {
        sizes.push_back(largest);
    }
    {
        sample::Progress progress{"sizes", sizes.size(), session.quiet};
        for (const std::size_t bytes : sizes) {
            for (HostMemory& kind : kinds) {
                measure(session, queue, memory, kind, bytes);
            }
            progress.step();
        }
    }

    plot::Plot picture{.title = "Copies between host and device",
                       .subtitle = device.info().name,
                       .x_label = "size of one copy, bytes",
                       .y_label = "rate, GB/s",
                       .lines = {}};
    for (HostMemory& kind : kinds) {
        picture.lines.push_back(kind.up_line);
        picture.lines.push_back(kind.down_line);
    }
    std::string head = fmt::format("{:>9}", "GB/s");
    for (const plot::Line& line : picture.lines) {
        head += fmt::format("{:>16}", line.name);
    }
    session.say("{}", head);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        std::string row = fmt::format("{:>9}", plot::bytes_text(static_cast<double>(sizes[i])));
        for (const plot::Line& line : picture.lines) {
            row += fmt::format("{:>16.2f}", line.points[i].y);
        }
        session.say("{}", row);
    }
    const std::filesystem::path file = session.output_file("bandwidth.svg");
    picture.write_svg(file);
    session.say("wrote {}", file.string());
}

} // namespace

int main(int argc, char** argv) {
    sample::App app{"05_pinned", "Bandwidth of pinned against pageable host memory", 0,
                    "bytes of the largest copy; 0 is 256 MiB, or 16 MiB for a processor"};
    return app.run(argc, argv, pinned);
}
