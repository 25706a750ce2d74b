// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plot.hpp"

#include <string>
#include <vector>

/// A value at one size. A value up to `noise` cannot be distinguished from 0.
struct Sample {
    double bytes = 0;
    double value = 0;
    double noise = 0;
};

/// The change of a value with the size. The text and the plot both come from `points`, so they cannot
/// disagree.
struct Growth {
    std::vector<plot::Point> points; ///< the samples above their noise
    std::string text;                ///< a conclusion from them
};

/// `samples` are sorted by size. On a busy machine, the points may be too uneven for a conclusion; the text
/// reports that.
Growth growth_of(const std::vector<Sample>& samples);
