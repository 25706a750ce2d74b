// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sample.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace sample {

struct App::Options {
    CLI::App cli;
    std::string name;
    std::string device;
    std::string output = ".";
    std::uint64_t size = 0;
    std::optional<std::uint32_t> seed;
    bool quiet = false;
    bool json = false;
};

} // namespace sample
