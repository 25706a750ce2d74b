// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite.hpp"

#include <span>
#include <string>
#include <vector>

/// The devices, one a line.
std::string device_list(std::span<const ferry::Device> devices);

/// The table, a row for each sample and a column for each device, in parts that can be printed as samples
/// end.
std::string table_head(const Suite& suite, std::span<const Lack> lacks);
/// `results` are those of one sample, in the order of the devices.
std::string table_row(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results);
/// The samples that this build lacks, what the columns mean, and the packages to install.
std::string table_end(const Suite& suite, std::span<const Lack> lacks);

/// The failures with the last lines of what they printed; empty if there is none.
std::string failures(std::span<const Result> results);

/// All of it for programs.
std::string json(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results);
