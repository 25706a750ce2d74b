// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/backend.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ferry::detail::child_run {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The environment of a child process that uses this backend. It is that of this process with these changes:
/// - libraries set by configure() are added;
/// - variables that change how commands run are removed;
/// - there is no tool, so that the child starts no further child.
/// `changes` take precedence. An empty value removes the variable.
std::vector<std::string> child_environment(Backend backend, const Variables& changes);

} // namespace ferry::detail::child_run
