// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sample {

/// Lines over two logarithmic axes, as an SVG file. The x axis is in bytes, marked at powers of two.
struct Plot {
    struct Point {
        double x = 0; ///< above 0
        double y = 0; ///< above 0
    };
    struct Line {
        std::string name;
        std::vector<Point> points;
    };

    std::string title;
    std::string x_label;
    std::string y_label;
    std::vector<Line> lines;

    /// Throws std::runtime_error if the file cannot be written.
    void write_svg(const std::filesystem::path& file) const;
};

/// "4 KiB", "256 MiB".
std::string bytes_text(double bytes);

} // namespace sample
