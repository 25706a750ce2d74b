// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace sample {
namespace {

constexpr double width = 760;
constexpr double height = 460;
constexpr double left = 80;
constexpr double right = 200;
constexpr double top = 50;
constexpr double bottom = 60;
constexpr std::array colours{"#0072b2", "#d55e00", "#56b4e9", "#e69f00", "#009e73", "#cc79a7"};

struct Axis {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void round_to_powers_of(double base) {
        low = std::pow(base, std::floor(std::log(low) / std::log(base) + 1e-9));
        high = std::pow(base, std::ceil(std::log(high) / std::log(base) - 1e-9));
        high = std::max(high, low * base);
    }
    double share(double value) const { return std::log(value / low) / std::log(high / low); }
};

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
        case '<':
            result += "&lt;";
            break;
        case '>':
            result += "&gt;";
            break;
        case '&':
            result += "&amp;";
            break;
        default:
            result += c;
        }
    }
    return result;
}

std::string text(double x, double y, const char* anchor, const std::string& words, const char* more = "") {
    return fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='{}' {}>{}</text>\n", x, y, anchor, more,
                       escaped(words));
}

std::string rule(double x1, double y1, double x2, double y2) {
    return fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#ddd'/>\n", x1, y1, x2,
                       y2);
}

} // namespace

std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{:g} {}", bytes, units[unit]);
}

void Plot::write_svg(const std::filesystem::path& file) const {
    Axis horizontal;
    Axis vertical;
    for (const Line& line : lines) {
        for (const Point& point : line.points) {
            horizontal.include(point.x);
            vertical.include(point.y);
        }
    }
    if (!(horizontal.high > 0) || !(vertical.high > 0)) {
        throw std::runtime_error(fmt::format("{}: there is nothing to plot", file.string()));
    }
    horizontal.round_to_powers_of(2);
    vertical.round_to_powers_of(10);
    const auto to_x = [&](double x) { return left + horizontal.share(x) * (width - left - right); };
    const auto to_y = [&](double y) { return height - bottom - vertical.share(y) * (height - top - bottom); };

    std::string svg = fmt::format("<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' "
                                  "viewBox='0 0 {0} {1}' font-family='sans-serif' font-size='12'>\n"
                                  "<rect width='100%' height='100%' fill='white'/>\n",
                                  width, height);
    svg += text(left, top - 22, "start", title, "font-size='15'");
    for (double x = horizontal.low; x <= horizontal.high * 1.001; x *= 4) {
        svg += rule(to_x(x), to_y(vertical.low), to_x(x), to_y(vertical.high));
        svg += text(to_x(x), height - bottom + 18, "middle", bytes_text(x), "font-size='10'");
    }
    for (double decade = vertical.low; decade <= vertical.high * 1.001; decade *= 10) {
        svg += rule(left, to_y(decade), width - right, to_y(decade));
        svg += text(left - 8, to_y(decade) + 4, "end", fmt::format("{:g}", decade));
    }
    svg += text((left + width - right) / 2, height - 16, "middle", x_label);
    svg += text(0, 0, "middle", y_label,
                fmt::format("transform='translate(24 {:.1f}) rotate(-90)'", height / 2).c_str());

    double legend = top + 10;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const char* colour = colours[i % colours.size()];
        std::string path;
        for (const Point& point : lines[i].points) {
            path += fmt::format("{:.1f},{:.1f} ", to_x(point.x), to_y(point.y));
        }
        svg +=
            fmt::format("<polyline points='{}' fill='none' stroke='{}' stroke-width='2'/>\n", path, colour);
        svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='14' height='4' fill='{}'/>\n",
                           width - right + 16, legend - 6, colour);
        svg += text(width - right + 36, legend, "start", lines[i].name);
        legend += 20;
    }
    svg += "</svg>\n";

    std::ofstream stream{file};
    stream << svg;
    stream.close();
    if (!stream) {
        throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
    }
}

} // namespace sample
