// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::detail {

/// The environment of this process: "NAME=value". Must not run concurrently with a change of it.
std::vector<std::string> environment();

} // namespace ferry::detail
