// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cases.hpp"
#include "commands.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace bench {

struct Result {
    const Case* test = nullptr;
    Figure figure;
};

struct DeviceResults {
    ferry::Device device;
    std::vector<Result> results;
};

void print_header(const ferry::Device& device, const CallsOptions& options);
void print_row(const Result& result);
/// Writes the format described in docs/bench.md.
void write_json(std::ostream& out, const std::vector<DeviceResults>& devices, const CallsOptions& options);

} // namespace bench
