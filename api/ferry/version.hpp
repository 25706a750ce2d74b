// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp>

// The version of these headers. The build reads it from here; it is not defined elsewhere. Before version
// 1.0, every minor release may change the interface.
#define FERRY_VERSION_MAJOR 0
#define FERRY_VERSION_MINOR 1
#define FERRY_VERSION_PATCH 0

namespace ferry {

/// The version of the running library as "major.minor.patch". It can differ from the macros above if a
/// program runs with another shared library than it was compiled against.
FERRY_API const char* version() noexcept;

} // namespace ferry
