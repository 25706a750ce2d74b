// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite.hpp"

#include <span>
#include <string>
#include <vector>

/// The list of devices, one in each line.
std::string device_list(std::span<const ferry::Device> devices);

/// The table has a row for each sample and a column for each device. It is printed in parts as samples end.
std::string table_head(const Suite& suite, std::span<const Lack> lacks);
/// `results` are the results of one sample, in the order of the devices.
std::string table_row(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results);
/// The missing samples, an explanation of the columns, and the packages to install.
std::string table_end(const Suite& suite, std::span<const Lack> lacks);

/// The failures with the last lines of their output; empty if there is none.
std::string failures(std::span<const Result> results);

/// All results as JSON.
std::string json(const Suite& suite, std::span<const Lack> lacks, std::span<const Result> results);
