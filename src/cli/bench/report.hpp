// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace bench {

/// The table for people, line by line.
void print_head(std::ostream& out, const ferry::Device& device, std::size_t largest, bool quick);
void print_line(std::ostream& out, const Line& line);
void print_foot(std::ostream& out, const DeviceFigures& figures);

/// A device that could not be measured, or not to the end.
struct Failure {
    ferry::Device device;
    std::string reason;
};

/// The document that docs/bench.md describes.
std::string to_json(const std::vector<DeviceFigures>& devices, const std::vector<Failure>& failures,
                    bool quick);

/// Writes the plots of one device into a folder, which is made if missing; returns the files. Throws
/// std::runtime_error if one cannot be written.
std::vector<std::filesystem::path> write_plots(const DeviceFigures& figures,
                                               const std::filesystem::path& folder);

} // namespace bench
