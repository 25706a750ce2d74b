// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

/// What to run on what.
struct Suite {
    std::vector<std::string> samples; ///< "01_transfer", in order
    std::vector<ferry::Device> devices;
    std::filesystem::path programs; ///< folder of the samples' programs
    std::filesystem::path output;   ///< each run gets output/opencl-0/01_transfer
    std::chrono::seconds limit{};   ///< of one run
};

/// How one sample did on one device.
struct Result {
    std::string sample;
    std::string device;
    bool passed = false;
    std::string reason; ///< why not, one line
    double seconds = 0;
    std::string output; ///< what it printed
};

/// The folder this program is in.
std::filesystem::path own_folder();

/// The samples whose programs lie in `folder`, sorted; those whose name contains one of `filters`, if there
/// are any.
std::vector<std::string> find_samples(const std::filesystem::path& folder,
                                      const std::vector<std::string>& filters);

Result run_sample(const Suite& suite, const std::string& sample, const ferry::Device& device);
