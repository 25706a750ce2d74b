// SPDX-License-Identifier: Apache-2.0
#include "ratios.hpp"

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

constexpr const char* aim_colour = "#222";

/// Round numbers over a range: near 1 they are close to each other, over decades far apart.
std::vector<double> ticks(double low, double high) {
    std::vector<double> marks;
    const double step = high - low > 0.4 ? 0.1 : high - low > 0.15 ? 0.05 : 0.02;
    if (high / low > 3) {
        for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
            for (const double part : {1.0, 2.0, 5.0}) {
                marks.push_back(decade * part);
            }
        }
    } else {
        for (double n = std::ceil(low / step); n * step <= high; ++n) {
            marks.push_back(n * step);
        }
    }
    std::erase_if(marks, [&](double mark) { return mark < low * 0.9999 || mark > high * 1.0001; });
    return marks;
}

struct Scale {
    double left;
    double low = std::numeric_limits<double>::infinity();
    double high = 0;

    void include(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    double x(double value) const {
        return left + std::log(value / low) / std::log(high / low) * (svg::width - left - svg::right);
    }
};

/// Room for the longest name of a row.
double room_for_names(const std::vector<std::string>& rows) {
    std::size_t longest = 0;
    for (const std::string& row : rows) {
        longest = std::max(longest, row.size());
    }
    return 40 + 7.4 * static_cast<double>(longest);
}

Scale scale_of(const Ratios& all) {
    Scale scale{.left = room_for_names(all.rows)};
    for (const RatioSeries& series : all.series) {
        for (const auto& ratio : series.ratios) {
            if (ratio) {
                scale.include(ratio->low);
                scale.include(ratio->high);
            }
        }
    }
    if (!(scale.high > 0)) {
        throw std::runtime_error("there is nothing to plot");
    }
    for (const auto& aim : all.aims) {
        if (aim) {
            scale.include(*aim);
        }
    }
    scale.include(1);
    const double room = std::pow(scale.high / scale.low, 0.04);
    scale.low /= std::max(room, 1.005);
    scale.high *= std::max(room, 1.005);
    return scale;
}

} // namespace

std::string Ratios::svg() const {
    const Scale scale = scale_of(*this);
    const double left = scale.left;
    const double lane = 13;
    const double band = lane * static_cast<double>(series.size()) + 9;
    const double base = svg::top + band * static_cast<double>(rows.size());
    std::string body;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        body += print("<rect x='8' y='%.1f' width='%.1f' height='%.1f' fill='#f5f5f5'/>\n",
                      svg::top + band * static_cast<double>(i), svg::width - svg::right - 8, band);
    }
    for (const double mark : ticks(scale.low, scale.high)) {
        body += rule(scale.x(mark), svg::top, scale.x(mark), base, "#ccc");
        body += text(scale.x(mark), base + 18, "middle", print("%g", mark), "font-size='12'");
    }
    body += rule(scale.x(1), svg::top, scale.x(1), base, "#222");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double begin = svg::top + band * static_cast<double>(i);
        body += text(left - 10, begin + band / 2 + 4, "end", rows[i]);
        if (i < aims.size() && aims[i]) {
            const double x = scale.x(*aims[i]);
            body += print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='1.6' "
                          "stroke-dasharray='3 2'/>\n",
                          x, begin + 1, x, begin + band - 1, aim_colour);
        }
        for (std::size_t k = 0; k < series.size(); ++k) {
            const auto& ratio = series[k].ratios.at(i);
            const double y = begin + 11 + lane * static_cast<double>(k);
            const char* const colour = svg::colours[k % svg::colours.size()];
            if (ratio) {
                body += print("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='2'/>\n"
                              "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n",
                              scale.x(ratio->low), y, scale.x(ratio->high), y, colour, scale.x(ratio->value),
                              y, colour);
            }
        }
    }
    body += text((left + svg::width - svg::right) / 2, base + 40, "middle", x_label);
    std::vector<svg::Entry> entries;
    for (std::size_t k = 0; k < series.size(); ++k) {
        entries.push_back({series[k].name, {svg::colours[k % svg::colours.size()], "none", 0}});
    }
    if (std::any_of(aims.begin(), aims.end(), [](const auto& aim) { return aim.has_value(); })) {
        entries.push_back({aim_name, {aim_colour, "3 2", 1.6}});
    }
    double bottom = base + 66;
    body += svg::legend(entries, 20, bottom);
    return svg::head(bottom, 20, title, subtitle) + body + "</svg>\n";
}

void Ratios::write_svg(const std::filesystem::path& file) const {
    svg::write(file, [this] { return svg(); });
}

} // namespace plot
