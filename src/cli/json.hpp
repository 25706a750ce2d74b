// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace cli {

/// The JSON document of these devices, described in docs/cli.md. `problem` is a known problem of a single
/// device, or empty. Problems found meanwhile are stored there. `tried` is the staging of a single device
/// after its slots were made, or null.
std::string to_json(const Survey& survey, const std::vector<ferry::Device>& devices, ferry::Probe probe,
                    std::string& problem, const ferry::StagingInfo* tried = nullptr);

} // namespace cli
