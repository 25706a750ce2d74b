// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace plot {

struct Point {
    double x = 0; ///< above 0
    double y = 0; ///< above 0
};

enum class Style : std::uint8_t {
    solid,  ///< with a mark at each point
    dashed, ///< in the colour of the solid line before it; the legend has one entry for all of one name
    bound,  ///< Grey: a limit that other lines cannot pass.
};

struct Line {
    std::string name;
    std::vector<Point> points;
    Style style = Style::solid;
};

/// Lines over two logarithmic axes, as an SVG file. The x axis is in bytes, marked at powers of two.
/// Labels of the axes include the unit.
struct Plot {
    std::string title;
    std::string subtitle; ///< smaller, below the title; may be empty
    std::string x_label;
    std::string y_label;
    std::vector<Line> lines;

    /// The SVG document. Throws std::runtime_error if there is no point to draw.
    std::string svg() const;
    /// Throws std::runtime_error also if the file cannot be written.
    void write_svg(const std::filesystem::path& file) const;
};

/// "4 KiB", "256 MiB".
std::string bytes_text(double bytes);

} // namespace plot
