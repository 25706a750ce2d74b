// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

/// The chosen samples and devices, and the limits of a run.
struct Suite {
    std::vector<std::string> samples; ///< "01_transfer", in order
    std::vector<ferry::Device> devices;
    std::filesystem::path programs; ///< folder of the samples' programs
    std::filesystem::path output;   ///< a run writes to output/opencl-0/01_transfer
    std::chrono::seconds limit{};   ///< the time limit of one run
    bool twice = true;              ///< runs each sample a second time, with compiled kernels
};

/// A library that was missing when the samples were built.
struct Lack {
    std::string sample;
    std::string effect; ///< "not built"
    std::string library;
    std::string package; ///< name of the Debian package to install
};

/// The result of one sample on one device.
struct Result {
    std::string sample;
    std::string device;
    bool passed = false;
    std::string reason;            ///< the reason of a failure, one line
    double seconds = 0;            ///< of the first run
    std::string output;            ///< the output of the sample
    std::optional<double> again{}; ///< seconds of the second run
};

/// The folder that contains this program.
std::filesystem::path own_folder();

/// The sorted names of the samples with a program in `folder`. If `filters` is not empty: only names that
/// contain one of them.
std::vector<std::string> find_samples(const std::filesystem::path& folder,
                                      const std::vector<std::string>& filters);

/// The libraries that this build lacks, read from the file ferry-samples.lacks in `folder`. Only those of the
/// samples chosen by `filters`, in the order of the samples.
std::vector<Lack> find_lacks(const std::filesystem::path& folder, const std::vector<std::string>& filters);

/// Runs a sample. Runs it a second time if it passed and `suite.twice` is set.
Result run_sample(const Suite& suite, const std::string& sample, const ferry::Device& device);
