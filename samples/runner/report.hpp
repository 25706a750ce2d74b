// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "suite.hpp"

#include <span>
#include <string>
#include <vector>

/// The devices, one a line.
std::string device_list(std::span<const ferry::Device> devices);

/// One row for each sample, one column for each device.
std::string table(const Suite& suite, std::span<const Result> results);

/// The failures with the last lines of what they printed; empty if there is none.
std::string failures(std::span<const Result> results);

/// All of it for programs.
std::string json(const Suite& suite, std::span<const Result> results);
