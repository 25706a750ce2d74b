// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ferry::detail {

/// The environment of this process: "NAME=value". Must not run concurrently with a change of it.
std::vector<std::string> environment();

/// The list of the environment itself, which ends with a null pointer. Replacing it, instead of changing it,
/// leaves the old list to threads that read it.
char** environment_list() noexcept;
void set_environment_list(char** list) noexcept;

} // namespace ferry::detail
