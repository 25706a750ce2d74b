// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limits.hpp"
#include "measure.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// What `ferry bench` was asked for.
struct Request {
    std::vector<ferry::Device> devices;
    std::string filter;      ///< part of a measurement's name
    std::size_t largest = 0; ///< bytes; 0: the default of the device
    int pairs = 0;           ///< 0: the default
    bool quick = false;
    bool progress = false; ///< on standard error, a line that is rewritten
};

struct Line {
    const Measurement* what = nullptr;
    Figure figure;
    double bound_ns = 0; ///< for a step at the hardware's limit; 0 if not known
};

/// What was not measured though it was asked for.
struct LeftOut {
    const Measurement* what = nullptr;
    std::string why; ///< a whole sentence
};

/// Empty for what can be measured there.
std::string why_left_out(const Measurement& what, const ferry::Device& device);

struct DeviceFigures {
    ferry::Device device;
    std::size_t largest = 0;
    Limits limits;
    std::vector<Line> lines;
    std::vector<LeftOut> left_out = {};
};

/// Measures one device. `finished` is called with each line as soon as it is there, and the largest size.
/// Throws std::exception where a device fails or a result is wrong.
DeviceFigures run(const ferry::Device& device, const Request& request,
                  const std::function<void(const Line&, std::size_t)>& finished);

/// The sides of a comparison on one device.
struct Sides {
    ferry::Program program;
    std::unique_ptr<Subject> ferry;
    std::unique_ptr<Subject> raw;
};
Sides make_sides(const ferry::Device& device, std::size_t bytes, bool timing);

} // namespace bench
