// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace cli {

/// The document that docs/cli.md describes, of these devices.
std::string to_json(const Survey& survey, const std::vector<ferry::Device>& devices, ferry::Probe probe);

} // namespace cli
