// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp>

#include <cstddef> // defines the macros below

// Standard library strings and containers cross this API, so the program and the library must be built with
// the same standard library and the same ABI options. Each file that includes these headers refers to a
// symbol named after its ABI. The library defines only the symbol of its own ABI. A program with another ABI
// fails to link, and the linker error names the symbol. In that case, build the program or Ferry with
// matching flags. The C API (ferry/ferry.h) uses no such types and works with every ABI.
#if defined(_LIBCPP_VERSION)
#define FERRY_STANDARD_LIBRARY needs_a_library_built_with_libcxx
#elif defined(_GLIBCXX_DEBUG) && defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define FERRY_STANDARD_LIBRARY needs_a_library_built_with_GLIBCXX_DEBUG_and_GLIBCXX_USE_CXX11_ABI_0
#elif defined(_GLIBCXX_DEBUG)
#define FERRY_STANDARD_LIBRARY needs_a_library_built_with_GLIBCXX_DEBUG
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define FERRY_STANDARD_LIBRARY needs_a_library_built_with_GLIBCXX_USE_CXX11_ABI_0
#else
#define FERRY_STANDARD_LIBRARY needs_a_library_built_with_GLIBCXX_USE_CXX11_ABI_1
#endif

namespace ferry::detail {

/// Does nothing. Only its name matters.
FERRY_API void FERRY_STANDARD_LIBRARY() noexcept;

namespace {
// NOLINTNEXTLINE(misc-definitions-in-headers): each translation unit refers to the library on its own.
[[gnu::used]] void (*const standard_library_check)() noexcept = &FERRY_STANDARD_LIBRARY;
} // namespace

} // namespace ferry::detail
