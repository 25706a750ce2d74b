// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks the symbols that the shared library exports. All other symbols are hidden. A program that links the
// static library may define FERRY_STATIC_DEFINE; the CMake package defines it.
#if defined(FERRY_STATIC_DEFINE)
#define FERRY_API
#else
#define FERRY_API __attribute__((visibility("default")))
#endif
