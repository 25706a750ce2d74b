// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"
#include "report.hpp"

#include <algorithm>
#include <array>

namespace bench {

namespace {

struct Picture {
    std::string_view name; ///< The value of Measurement::plot.
    const char* title;
    const char* x_label;
    bool rate; ///< True: GB/s. False: microseconds.
};

constexpr Picture pictures[] = {
    {"transfers", "Copies between host and device", "size of one copy, bytes", true},
    {"memory", "Device memory: copies, fills and kernels", "size of one array, bytes", true},
    {"shared", "Shared memory that the other side has just written", "size, bytes", true},
    {"allocation", "Allocate and free", "size, bytes", false},
};

std::string short_name(std::string_view name) {
    constexpr std::string_view heads[] = {"copy.", "allocate."};
    for (const std::string_view head : heads) {
        if (name.starts_with(head)) {
            name.remove_prefix(head.size());
        }
    }
    std::string text(name);
    std::ranges::replace(text, '.', ' ');
    return text;
}

void add_bound(plot::Plot& drawing, const char* what, double bandwidth, double first, double last) {
    if (bandwidth > 0) {
        char name[64];
        std::snprintf(name, sizeof name, "%s, %.1f GB/s", what, bandwidth / 1e9);
        drawing.lines.push_back(
            {name, {{first, bandwidth / 1e9}, {last, bandwidth / 1e9}}, plot::Style::bound});
    }
}

plot::Plot drawn(const Picture& picture, const DeviceFigures& figures) {
    plot::Plot drawing{.title = picture.title,
                       .subtitle = figures.device.info().name,
                       .x_label = picture.x_label,
                       .y_label = picture.rate ? "rate, GB/s" : "time, us",
                       .lines = {}};
    double first = 0;
    double last = 0;
    bool link = false;
    const Measurement* current = nullptr;
    std::size_t raw = 0;
    for (const Line& line : figures.lines) {
        const Figure& figure = line.figure;
        if (line.what->plot != picture.name) {
            continue;
        }
        if (line.what != current) {
            current = line.what;
            drawing.lines.push_back({short_name(current->name), {}, plot::Style::solid});
            if (figure.compared) {
                raw = drawing.lines.size();
                drawing.lines.push_back({"the vendor's own call", {}, plot::Style::dashed});
            }
        }
        const auto bytes = static_cast<double>(figure.bytes);
        const auto value = [&](double ns) {
            return picture.rate ? bytes * line.what->traffic / ns : ns / 1e3;
        };
        drawing.lines[drawing.lines.size() - (figure.compared ? 2 : 1)].points.push_back(
            {bytes, value(figure.ferry.median)});
        if (figure.compared) {
            drawing.lines[raw].points.push_back({bytes, value(figure.raw.median)});
        }
        first = first == 0 ? bytes : std::min(first, bytes);
        last = std::max(last, bytes);
        link = link || line.what->bound == Bound::link;
    }
    if (picture.rate && !drawing.lines.empty()) {
        add_bound(drawing, link ? "limit of the link" : "limit of the memory",
                  link ? figures.limits.link() : figures.limits.memory(), first, last);
    }
    return drawing;
}

} // namespace

std::vector<std::filesystem::path> write_plots(const DeviceFigures& figures,
                                               const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::string device = figures.device.id();
    std::ranges::replace(device, ':', '-');
    std::vector<std::filesystem::path> files;
    for (const Picture& picture : pictures) {
        const plot::Plot drawing = drawn(picture, figures);
        if (!drawing.lines.empty()) {
            files.push_back(folder / (device + "-" + std::string(picture.name) + ".svg"));
            drawing.write_svg(files.back());
        }
    }
    return files;
}

} // namespace bench
