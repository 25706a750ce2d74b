// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cache/cache_key.hpp"
#include "probe/probe.hpp"
#include "probe/subject.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace ferry::detail::probe {

/// The path of the vendor library of that subject if the program has loaded it already; else empty.
std::string loaded_library(Subject subject);

/// The conditions under which a verdict holds: the libraries that are named or loaded, the search path of
/// the loader, the variables that drivers read, the OpenCL drivers that are installed, the versions of the
/// kernel drivers and the boot.
cache::Key key_of(Subject subject, const std::string& loaded);

/// As text for the cache, and back. Nothing if a file has changed since, or if the child was late under a
/// shorter limit than this one or more than ten minutes ago.
std::string to_text(const Verdict& verdict, std::chrono::milliseconds late_under);
std::optional<Verdict> verdict_from(std::string_view text, std::chrono::milliseconds limit);

} // namespace ferry::detail::probe
