// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// The parts of SVG that both kinds of drawing share.
namespace plot::svg {

inline constexpr double width = 900;
inline constexpr double right = 36; ///< margin, as left and top
inline constexpr double top = 66;

// Okabe and Ito's colours, which can be distinguished with every kind of colour vision.
inline constexpr std::array colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#56b4e9", "#e69f00", "#000000", "#a08c00"};

[[gnu::format(printf, 1, 2)]] std::string print(const char* format, ...);

std::string text(double x, double y, const char* anchor, const std::string& words,
                 const std::string& more = "");
std::string rule(double x1, double y1, double x2, double y2, const char* colour);

struct Pen {
    const char* colour;
    const char* dash;
    double weight;
};

/// An entry of a legend: a line, or a mark if the pen has no weight.
struct Entry {
    std::string name;
    Pen pen;
};

/// The document from its start to the title; opaque, so that it can be read on a dark page.
std::string head(double height, double left, const std::string& title, const std::string& subtitle);

/// A legend below a drawing, over its whole width. `bottom` is where it begins, and where it ended
/// afterwards.
std::string legend(const std::vector<Entry>& entries, double left, double& bottom);

/// Throws std::runtime_error with the file's name if `make` throws it or the file cannot be written.
void write(const std::filesystem::path& file, const std::function<std::string()>& make);

} // namespace plot::svg
