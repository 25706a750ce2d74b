// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// What to run on what.
struct Suite {
    std::vector<std::string> samples; ///< "01_transfer", in order
    std::vector<ferry::Device> devices;
    std::filesystem::path programs; ///< folder of the samples' programs
    std::filesystem::path output;   ///< each run gets output/opencl-0/01_transfer
    std::chrono::seconds limit{};   ///< of one run
    bool twice = true;              ///< runs each sample a second time, with compiled kernels
};

/// A library that was missing when the samples were built.
struct Lack {
    std::string sample;
    std::string effect; ///< "not built"
    std::string library;
    std::string package; ///< to install, as Debian calls it
};

/// How one sample did on one device.
struct Result {
    std::string sample;
    std::string device;
    bool passed = false;
    std::string reason;            ///< why not, one line
    double seconds = 0;            ///< of the first run
    std::string output;            ///< what it printed
    std::optional<double> again{}; ///< seconds of the second run
};

/// The folder this program is in.
std::filesystem::path own_folder();

/// The samples whose programs lie in `folder`, sorted; those whose name contains one of `filters`, if there
/// are any.
std::vector<std::string> find_samples(const std::filesystem::path& folder,
                                      const std::vector<std::string>& filters);

/// The libraries that this build lacks, as the file ferry-samples.lacks in `folder` names them: those of the
/// samples chosen by `filters`, in the order of the samples.
std::vector<Lack> find_lacks(const std::filesystem::path& folder, const std::vector<std::string>& filters);

/// Runs a sample, and again if it passed and `suite.twice`.
Result run_sample(const Suite& suite, const std::string& sample, const ferry::Device& device);
