// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "limits.hpp"
#include "measure.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bench {

/// The request of a call of `ferry bench`.
struct Request {
    std::vector<ferry::Device> devices;
    std::string filter;      ///< A part of a measurement's name.
    std::size_t largest = 0; ///< In bytes. 0: the default of the device.
    int pairs = 0;           ///< 0: the default.
    bool quick = false;
    bool progress = false; ///< Prints the progress on standard error, in a line that is rewritten.
};

struct Line {
    const Measurement* what = nullptr;
    Figure figure;
    double bound_ns = 0; ///< Time of a step at the hardware limit. 0 if not known.
};

/// A requested measurement that was skipped.
struct LeftOut {
    const Measurement* what = nullptr;
    std::string why; ///< A complete sentence.
};

/// The reason why a measurement must be skipped on this device. Empty if it can run.
std::string why_left_out(const Measurement& what, const ferry::Device& device);

struct DeviceFigures {
    ferry::Device device;
    std::size_t largest = 0;
    Limits limits;
    std::vector<Line> lines;
    std::vector<LeftOut> left_out = {};
};

/// Measures one device. Calls `finished` with each line as soon as it is complete, and with the largest size.
/// Throws std::exception if the device fails or a result is wrong.
DeviceFigures run(const ferry::Device& device, const Request& request,
                  const std::function<void(const Line&, std::size_t)>& finished);

/// The two sides of a comparison on one device.
struct Sides {
    ferry::Program program;
    std::unique_ptr<Subject> ferry;
    std::unique_ptr<Subject> raw;
};
Sides make_sides(const ferry::Device& device, std::size_t bytes, bool timing);

} // namespace bench
