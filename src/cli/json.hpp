// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "commands.hpp"

namespace cli {

/// The document that docs/cli.md describes, of these devices. `problem` is what is known to be wrong with the
/// only one of them, or empty; afterwards also what was found to be wrong with one. `tried`: the staging of
/// the only one, if slots were made.
std::string to_json(const Survey& survey, const std::vector<ferry::Device>& devices, ferry::Probe probe,
                    std::string& problem, const ferry::StagingInfo* tried = nullptr);

} // namespace cli
