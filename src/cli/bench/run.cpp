// SPDX-License-Identifier: Apache-2.0
#include "run.hpp"

#include "system/machine.hpp"

#include <algorithm>
#include <cstdio>

namespace bench {

namespace {

std::size_t largest_size(const ferry::Device& device, const Request& request) {
    const ferry::DeviceInfo& info = device.info();
    const bool gpu = info.kind == ferry::DeviceKind::gpu;
    std::uint64_t bytes = request.quick ? 1U << 20 : gpu ? 1U << 30 : 64U << 20;
    if (request.largest != 0) {
        bytes = request.largest;
    }
    // Two sides have three buffers on the device and four on the host, and the checks need some more.
    const std::uint64_t free = ferry::host::free_memory().value_or(ferry::host::total_memory());
    bytes = std::min<std::uint64_t>({bytes, info.max_allocation, info.total_memory / 8, free / 16});
    return std::max<std::size_t>(bytes / small_bytes * small_bytes, small_bytes);
}

std::vector<std::size_t> sizes_of(const Measurement& what, std::size_t largest, bool quick) {
    if (what.sizes.empty()) {
        return {0};
    }
    std::vector<std::size_t> sizes(what.sizes.begin(), what.sizes.end());
    std::erase_if(sizes, [&](std::size_t bytes) { return bytes > largest; });
    if (sizes.empty()) {
        sizes.push_back(largest);
    }
    if (quick) {
        sizes = {sizes.front(), sizes.back()};
        sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    }
    return sizes;
}

class Progress {
public:
    Progress(bool visible, std::string device, std::size_t total)
        : visible_(visible), device_(std::move(device)), total_(total) {}
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress() { clear(); }

    void show(const Measurement& what, std::size_t bytes) {
        ++count_;
        if (visible_) {
            std::fprintf(stderr, "\r\033[K%s  %zu/%zu  %.*s", device_.c_str(), count_, total_,
                         static_cast<int>(what.name.size()), what.name.data());
            if (bytes != 0) {
                std::fprintf(stderr, "  %zu KiB", bytes / 1024);
            }
            std::fflush(stderr);
        }
    }
    void clear() const {
        if (visible_) {
            std::fputs("\r\033[K", stderr);
        }
    }

private:
    bool visible_;
    std::string device_;
    std::size_t total_;
    std::size_t count_ = 0;
};

struct Step {
    const Measurement* what;
    std::size_t bytes;
};

std::vector<Step> plan(const Request& request, DeviceFigures& figures) {
    std::vector<Step> steps;
    for (const Measurement& what : measurements()) {
        if (what.name.find(request.filter) == std::string_view::npos) {
            continue;
        }
        if (std::string why = why_left_out(what, figures.device); !why.empty()) {
            figures.left_out.push_back({&what, std::move(why)});
            continue;
        }
        for (const std::size_t bytes : sizes_of(what, figures.largest, request.quick)) {
            steps.push_back({&what, bytes});
        }
    }
    return steps;
}

} // namespace

std::string why_left_out(const Measurement& what, const ferry::Device& device) {
    if (!device.has(what.needs)) {
        return device.capabilities(what.needs, ferry::Probe::declared).why_not;
    }
    const bool has_kernel = what.check == Check::stream || what.check == Check::touched;
    const std::uint64_t most =
        std::min<std::uint64_t>(device.info().max_group_size, device.info().max_local[0]);
    if (has_kernel && most < stream_group) {
        return "The kernel takes groups of " + std::to_string(stream_group) +
               " work-items, and the device at most " + std::to_string(most) + ".";
    }
    return {};
}

Sides make_sides(const ferry::Device& device, std::size_t bytes, bool timing) {
    Sides sides;
    sides.program = bench_program(device);
    Setup setup{device, timing, bytes, {}};
    if (device.backend() == ferry::Backend::cuda || device.backend() == ferry::Backend::hip ||
        device.backend() == ferry::Backend::vulkan) {
        setup.code = sides.program.binary();
        setup.code.push_back(std::byte{}); // PTX is text that must end with a zero byte.
    }
    sides.ferry = ferry_subject(setup, sides.program);
    sides.raw = raw_subject(setup);
    return sides;
}

DeviceFigures run(const ferry::Device& device, const Request& request,
                  const std::function<void(const Line&, std::size_t)>& finished) {
    const std::size_t largest = largest_size(device, request);
    const Sides sides = make_sides(device, largest, device.info().timing);
    DeviceFigures figures{device, largest, Limits(device, sides.raw.get()), {}};
    Effort effort;
    if (request.quick) {
        effort = {.pairs = 3, .most_pairs = 3, .sample_ns = 1e5, .batch = 16, .warm_up = 1};
    }
    if (request.pairs != 0) {
        effort.pairs = request.pairs;
        effort.most_pairs = 4 * request.pairs;
    }
    const std::vector<Step> steps = plan(request, figures);
    Progress progress(request.progress, device.id(), steps.size());
    for (const Step& step : steps) {
        progress.show(*step.what, step.bytes);
        Line line{step.what, measure(*step.what, sides.raw.get(), *sides.ferry, step.bytes, effort), 0};
        figures.limits.look();
        line.bound_ns = figures.limits.step(*line.what, line.figure.bytes);
        progress.clear();
        finished(line, largest);
        figures.lines.push_back(line);
    }
    for (Line& line : figures.lines) {
        line.bound_ns = figures.limits.step(*line.what, line.figure.bytes);
    }
    return figures;
}

} // namespace bench
