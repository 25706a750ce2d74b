// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include "svg.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace plot {
namespace {

using svg::print;
using svg::rule;
using svg::text;

constexpr double lines_left = 84;
constexpr double lines_base = 440; ///< the horizontal axis

struct Axis {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    void round_to_powers_of(double number) {
        low = std::pow(number, std::floor(std::log(low) / std::log(number) + 1e-9));
        high = std::pow(number, std::ceil(std::log(high) / std::log(number) - 1e-9));
        high = std::max(high, low * number);
    }
    double share(double value) const { return std::log(value / low) / std::log(high / low); }
};

/// Where the data's coordinates lie on the paper.
struct Frame {
    Axis horizontal;
    Axis vertical;

    explicit Frame(const std::vector<Line>& lines) {
        for (const Line& line : lines) {
            for (const Point& point : line.points) {
                horizontal.include(point.x);
                vertical.include(point.y);
            }
        }
        if (!(horizontal.high > 0) || !(vertical.high > 0)) {
            throw std::runtime_error("there is nothing to plot");
        }
        horizontal.round_to_powers_of(2);
        vertical.round_to_powers_of(10);
    }
    double x(double value) const {
        return lines_left + horizontal.share(value) * (svg::width - lines_left - svg::right);
    }
    double y(double value) const { return lines_base - vertical.share(value) * (lines_base - svg::top); }

    std::string grid() const {
        std::string lines;
        for (double mark = horizontal.low; mark <= horizontal.high * 1.001; mark *= 4) {
            lines += rule(x(mark), y(vertical.low), x(mark), y(vertical.high), "#ddd");
            lines += text(x(mark), lines_base + 18, "middle", bytes_text(mark), "font-size='12'");
        }
        for (double decade = vertical.low; decade <= vertical.high * 1.001; decade *= 10) {
            for (int part = 2; part < 10 && decade * part < vertical.high; ++part) {
                lines +=
                    rule(lines_left, y(decade * part), svg::width - svg::right, y(decade * part), "#f2f2f2");
            }
            lines += rule(lines_left, y(decade), svg::width - svg::right, y(decade), "#ccc");
            lines += text(lines_left - 8, y(decade) + 4, "end", print("%.12g", decade));
        }
        return lines;
    }
};

std::string drawn(const Line& line, const Frame& frame, const svg::Pen& pen) {
    std::string path;
    std::string marks;
    for (const Point& point : line.points) {
        path += print("%.1f,%.1f ", frame.x(point.x), frame.y(point.y));
        if (line.style == Style::solid) {
            marks += print("<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", frame.x(point.x),
                           frame.y(point.y), pen.colour);
        }
    }
    return print("<polyline fill='none' stroke='%s' stroke-width='%.1f' stroke-dasharray='%s' points='",
                 pen.colour, pen.weight, pen.dash) +
           path + "'/>\n" + marks;
}

bool named(const std::vector<svg::Entry>& entries, const Line& line) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const svg::Entry& entry) { return entry.name == line.name; });
}

} // namespace

std::string bytes_text(double bytes) {
    constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return print("%g %s", bytes, units[unit]);
}

std::string Plot::svg() const {
    const Frame frame(lines);
    std::string body = frame.grid();
    body += text((lines_left + svg::width - svg::right) / 2, lines_base + 40, "middle", x_label);
    body += text(0, 0, "middle", y_label,
                 print("transform='translate(24 %.1f) rotate(-90)'", (svg::top + lines_base) / 2));

    std::vector<svg::Entry> entries;
    std::size_t next_colour = 0;
    const char* colour = svg::colours[0];
    for (const Line& line : lines) {
        if (line.style == Style::solid) {
            colour = svg::colours[next_colour++ % svg::colours.size()];
        }
        const svg::Pen pen = line.style == Style::solid    ? svg::Pen{colour, "none", 2.2}
                             : line.style == Style::dashed ? svg::Pen{colour, "6 4", 1.4}
                                                           : svg::Pen{"#666", "2 3", 1.6};
        body += drawn(line, frame, pen);
        if (line.style != Style::dashed) {
            entries.push_back({line.name, pen});
        }
    }
    for (const Line& line : lines) {
        if (line.style == Style::dashed && !named(entries, line)) {
            entries.push_back({line.name, {"#222", "6 4", 1.4}});
        }
    }
    double bottom = lines_base + 68;
    body += svg::legend(entries, lines_left, bottom);
    return svg::head(bottom, lines_left, title, subtitle) + body + "</svg>\n";
}

void Plot::write_svg(const std::filesystem::path& file) const {
    svg::write(file, [this] { return svg(); });
}

} // namespace plot
