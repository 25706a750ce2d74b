// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sample.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// An input file and the names of its output files.
struct Job {
    std::filesystem::path in;
    std::filesystem::path blurred;
    std::filesystem::path edges;
};

/// The pictures named on the command line (files and folders), or `count` rendered ones if there are none.
std::vector<Job> find_jobs(sample::Session& session, const std::vector<std::string>& paths,
                           std::size_t count);
