// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/export.hpp>

#include <cstddef> // defines the macros below

// Strings and containers of the standard library cross this API, so the program and the library must be built
// with the same form of them. Each file that includes these headers refers to a symbol whose name is that
// form; the library defines only the symbol of its own. A program of another form does not link, and the
// linker names the symbol. Build the program, or Ferry, with other flags then. The C API (ferry/ferry.h) has
// no such types and works with every form.
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

/// Does nothing; only its name counts.
FERRY_API void FERRY_STANDARD_LIBRARY() noexcept;

namespace {
[[gnu::used]] void (*const standard_library_check)() noexcept = &FERRY_STANDARD_LIBRARY;
}

} // namespace ferry::detail
