// SPDX-License-Identifier: Apache-2.0
#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace plot {
namespace {

constexpr double width = 900;
constexpr double height = 520;
constexpr double left = 80;
constexpr double right = 240;
constexpr double top = 66;
constexpr double bottom = 62;
// Okabe and Ito's colours, which people with any kind of colour vision can tell apart.
constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"};

[[gnu::format(printf, 1, 2)]] std::string print(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::array<char, 512> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    va_end(arguments);
    return text.data();
}

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

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const std::string& more = "") {
    return print("<text x='%.1f' y='%.1f' text-anchor='%s' %s>", x, y, anchor, more.c_str()) +
           escaped(words) + "</text>\n";
}

std::string rule(double x1, double y1, double x2, double y2, const char* colour) {
    return print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n", x1, y1, x2, y2, colour);
}

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
    double x(double value) const { return left + horizontal.share(value) * (width - left - right); }
    double y(double value) const { return height - bottom - vertical.share(value) * (height - top - bottom); }

    std::string grid() const {
        std::string svg;
        for (double mark = horizontal.low; mark <= horizontal.high * 1.001; mark *= 4) {
            svg += rule(x(mark), y(vertical.low), x(mark), y(vertical.high), "#ddd");
            svg += text(x(mark), height - bottom + 18, "middle", bytes_text(mark), "font-size='11'");
        }
        for (double decade = vertical.low; decade <= vertical.high * 1.001; decade *= 10) {
            for (int part = 2; part < 10 && decade * part < vertical.high; ++part) {
                svg += rule(left, y(decade * part), width - right, y(decade * part), "#f2f2f2");
            }
            svg += rule(left, y(decade), width - right, y(decade), "#ccc");
            svg += text(left - 8, y(decade) + 4, "end", print("%g", decade));
        }
        return svg;
    }
};

struct Pen {
    const char* colour;
    const char* dash;
    double weight;
};

std::string drawn(const Line& line, const Frame& frame, const Pen& pen) {
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
    std::string svg =
        print("<svg xmlns='http://www.w3.org/2000/svg' width='%g' height='%g' viewBox='0 0 %g %g' "
              "font-family='Helvetica, Arial, sans-serif' font-size='12' fill='#222'>\n"
              "<rect width='100%%' height='100%%' fill='white'/>\n",
              width, height, width, height);
    svg += text(left, 28, "start", title, "font-size='17' font-weight='bold'");
    svg += text(left, 48, "start", subtitle, "fill='#555'");
    svg += frame.grid();
    svg += text((left + width - right) / 2, height - 16, "middle", x_label);
    svg += text(0, 0, "middle", y_label, print("transform='translate(24 %.1f) rotate(-90)'", height / 2));

    double legend = top + 10;
    std::size_t next_colour = 0;
    const char* colour = colours[0];
    for (const Line& line : lines) {
        if (line.style == Style::solid) {
            colour = colours[next_colour++ % colours.size()];
        }
        const Pen pen = line.style == Style::solid    ? Pen{colour, "none", 2.2}
                        : line.style == Style::dashed ? Pen{colour, "6 4", 1.4}
                                                      : Pen{"#666", "2 3", 1.6};
        svg += drawn(line, frame, pen);
        svg += print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='%.1f' "
                     "stroke-dasharray='%s'/>\n",
                     width - right + 14, legend - 4, width - right + 38, legend - 4, pen.colour, pen.weight,
                     pen.dash);
        svg += text(width - right + 44, legend, "start", line.name);
        legend += 20;
    }
    return svg + "</svg>\n";
}

void Plot::write_svg(const std::filesystem::path& file) const {
    std::string document;
    try {
        document = svg();
    } catch (const std::runtime_error& error) {
        throw std::runtime_error(file.string() + ": " + error.what());
    }
    std::ofstream stream{file};
    stream << document;
    stream.close();
    if (!stream) {
        throw std::runtime_error(file.string() + ": cannot be written");
    }
}

} // namespace plot
