// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp>

// The version of these headers. The build reads it from here; nothing else states it.
// Until 1.0 every minor release may change the interface.
#define FERRY_VERSION_MAJOR 0
#define FERRY_VERSION_MINOR 1
#define FERRY_VERSION_PATCH 0

namespace ferry {

/// The version of the library that is running, as "major.minor.patch". It can differ from the macros
/// above when a program runs with another shared library than it was compiled against.
FERRY_API const char* version() noexcept;

} // namespace ferry
