// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace plot {

struct Ratio {
    double value = 0; ///< above 0
    double low = 0;   ///< a line is drawn from low to high if they differ
    double high = 0;
};

struct RatioSeries {
    std::string name;
    std::vector<std::optional<Ratio>> ratios; ///< one for each row
};

/// Marks beside the names of rows, over a logarithmic axis with a line at 1, as an SVG file.
struct Ratios {
    std::string title;
    std::string subtitle; ///< smaller, below the title; may be empty
    std::string x_label;
    std::string aim_name; ///< in the legend, for the marks of `aims`
    std::vector<std::string> rows;
    std::vector<std::optional<double>> aims; ///< as `rows`, or empty
    std::vector<RatioSeries> series;

    /// The SVG document. Throws std::runtime_error if there is no ratio to draw.
    std::string svg() const;
    /// Throws std::runtime_error also if the file cannot be written.
    void write_svg(const std::filesystem::path& file) const;
};

} // namespace plot
