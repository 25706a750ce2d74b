// SPDX-License-Identifier: Apache-2.0
#include "growth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace {

constexpr double most_uneven = 3; ///< a point may be this many times above or below the line

std::string figure(double value) {
    return fmt::format(fmt::runtime(value < 100 ? "{:.1f}" : "{:.0f}"), value);
}

/// The line through points on logarithmic axes: value = factor * bytes^power, by least squares.
struct Fit {
    double power = 0;
    double farthest = 1; ///< the largest ratio of a point and the line, or its inverse
};

Fit fit(const std::vector<plot::Point>& points) {
    double x = 0;
    double y = 0;
    for (const plot::Point& point : points) {
        x += std::log(point.x) / static_cast<double>(points.size());
        y += std::log(point.y) / static_cast<double>(points.size());
    }
    double along = 0;
    double both = 0;
    for (const plot::Point& point : points) {
        along += (std::log(point.x) - x) * (std::log(point.x) - x);
        both += (std::log(point.x) - x) * (std::log(point.y) - y);
    }
    Fit result{.power = along > 0 ? both / along : 0};
    for (const plot::Point& point : points) {
        const double line = y + result.power * (std::log(point.x) - x);
        result.farthest = std::max(result.farthest, std::exp(std::abs(std::log(point.y) - line)));
    }
    return result;
}

std::string conclusion(const std::vector<plot::Point>& points, const Sample& last) {
    const bool reaches_last = !points.empty() && points.back().x == last.bytes;
    if (points.empty()) {
        return "none measurable (below " + figure(last.noise) + ")";
    }
    if (points.size() == 1 || !reaches_last) {
        return fmt::format("{} at {}, no conclusion: measurable at {} of the sizes only",
                           figure(points.back().y), plot::bytes_text(points.back().x), points.size());
    }
    const Fit line = fit(points);
    const std::string values = figure(points.front().y) + " to " + figure(points.back().y) + ", ";
    if (line.farthest > most_uneven) {
        return values + "no conclusion: too uneven, the machine may be busy";
    }
    return values + (line.power < 0.15  ? "does not grow with the size"
                     : line.power < 0.6 ? "grows more slowly than the size"
                                        : "grows with the size");
}

} // namespace

Growth growth_of(const std::vector<Sample>& samples) {
    Growth result;
    for (const Sample& sample : samples) {
        if (sample.value > sample.noise) {
            result.points.push_back({sample.bytes, sample.value});
        }
    }
    result.text = conclusion(result.points, samples.back());
    return result;
}
