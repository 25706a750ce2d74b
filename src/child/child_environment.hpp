// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/backend.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ferry::detail::trial {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The environment of a child process that uses this backend: that of this process, with the libraries set by
/// configure(), without the variables that change how commands run, and without a tool, so that the child
/// starts no further child. `changes` take precedence; an empty value removes the variable.
std::vector<std::string> child_environment(Backend backend, const Variables& changes);

} // namespace ferry::detail::trial
