// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run.hpp"

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace bench {

/// Prints the table as text, line by line.
void print_head(std::ostream& out, const ferry::Device& device, std::size_t largest, bool quick);
void print_line(std::ostream& out, const Line& line);
void print_foot(std::ostream& out, const DeviceFigures& figures);

/// A device that could not be measured completely.
struct Failure {
    ferry::Device device;
    std::string reason;
};

/// The JSON document described in docs/bench.md.
std::string to_json(const std::vector<DeviceFigures>& devices, const std::vector<Failure>& failures,
                    bool quick);

/// Writes the plots of one device into a folder, and creates the folder if necessary. Returns the files.
/// Throws std::runtime_error if a file cannot be written.
std::vector<std::filesystem::path> write_plots(const DeviceFigures& figures,
                                               const std::filesystem::path& folder);

} // namespace bench
